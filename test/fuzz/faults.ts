const item = (length: number | string, payload: string) => `{"type":"foo","length":${length}}\n${payload}`;

/** Faults that make a whole envelope unreadable. Each spoils the parts of an envelope that is sound up to there. */
export const faults = {
  "length too small": behind(item(1, "ab")),
  "length too large": behind(item(3, "ab")),
  "negative length": behind(item(-1, "ab")),
  "broken length": behind(item(1.5, "ab")),
  "length of words": behind(item('"two"', "ab")),
  "item header is a text": behind('"event"\n{}'),
  "item header is cut off": behind('{"type":\n{}'),
  "blank line behind a length": behind(`${item(2, "ab")}\n\n${item(2, "ab")}`),
  "201 items": behind('{"type":"foo"}\n\n'.repeat(201)),
  "long header": behind(`{"type":"foo","x":"${"x".repeat(16_384)}"}\n`),
  "envelope header is a list": ([, ...rest]) => ["[]", ...rest],
  "envelope header is cut off": ([, ...rest]) => ['{"event_id":', ...rest],
  "blank line before all": (parts) => ["\n", ...parts],
  "blank line behind the envelope header": ([header = "", ...rest]) => [header, "\n", ...rest, item(2, "ab")],
} satisfies Record<string, (parts: Parts) => Parts>;

export type Fault = keyof typeof faults;

/** An envelope in pieces, of which the first is its header. */
export type Parts = readonly (string | Buffer)[];

function behind(spoilt: string): (parts: Parts) => Parts {
  return (parts) => [...parts, spoilt];
}
