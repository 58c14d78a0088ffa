import { gzipSync } from "node:zlib";
import type { Random } from "./random.ts";

/**
 * The parts to damage: the body, the headers that describe it, and the number of bytes that the head announces beyond
 * the body.
 */
export interface Sample {
  readonly body: Buffer;
  readonly headers: Readonly<Record<string, string>>;
  readonly lengthError: number;
}

/** A way to damage a sample. `other` is another body to take parts from. */
type Mutation = (sample: Sample, random: Random, other: Buffer) => Sample;

const onBody =
  (change: (body: Buffer, random: Random, other: Buffer) => Buffer): Mutation =>
  (sample, random, other) => ({ ...sample, body: change(sample.body, random, other) });

const flipBits = onBody((body, random) => {
  const flipped = Buffer.from(body);
  for (let count = 1 + random.below(8); count > 0 && body.length > 0; count--) {
    const index = random.below(body.length);
    flipped[index] = (flipped[index] ?? 0) ^ (1 << random.below(8));
  }
  return flipped;
});

const truncate = onBody((body, random) => body.subarray(0, random.below(body.length + 1)));

const splice = onBody((body, random, other) =>
  Buffer.concat([body.subarray(0, random.below(body.length + 1)), other.subarray(random.below(other.length + 1))]),
);

const repeatPart = onBody((body, random) => {
  const start = random.below(body.length + 1);
  const part = body.subarray(start, start + random.below(200));
  return Buffer.concat([
    body.subarray(0, start),
    ...Array.from({ length: random.below(50) }, () => part),
    body.subarray(start),
  ]);
});

/** Values that trouble parsers, to replace a value of the JSON. */
const stumblingBlocks = [
  "null",
  "{}",
  "[]",
  "[null]",
  "-1",
  "1e999",
  "NaN",
  '"\\ud800"',
  '"\\u0000"',
  '{"__proto__":{}}',
  '""',
  "true",
];
const replaceValue = onBody((body, random) =>
  replaceOne(
    body,
    /:("[^"\\]{0,80}"|-?\d+(?:\.\d+)?|true|false|null|\{\}|\[\])/g,
    () => `:${random.pick(stumblingBlocks)}`,
    random,
  ),
);

const editItemLength = onBody((body, random) =>
  replaceOne(
    body,
    /"length":(\d+)/g,
    (length) => `"length":${Number(length) + random.pick([-1, 1, -1000, 1000, 2 ** 31, 0.5])}`,
    random,
  ),
);

const editContentLength: Mutation = (sample, random) => ({
  ...sample,
  lengthError: random.pick([-20, -1, 1, 20, 1_000]),
});

const swapEncoding: Mutation = (sample, random) => ({
  ...sample,
  headers: {
    ...sample.headers,
    "Content-Encoding": random.pick(["gzip", "deflate", "br", "zstd", "identity", "", "gzip, gzip", "foo", "GZIP"]),
  },
});

const swapType: Mutation = (sample, random) => ({
  ...sample,
  headers: {
    ...sample.headers,
    "Content-Type": random.pick(["application/x-sentry-envelope", "application/json", "text/plain", ""]),
  },
});

const swapKey: Mutation = (sample, random) => ({
  ...sample,
  headers: {
    ...sample.headers,
    "X-Sentry-Auth": random.pick([
      `Sentry sentry_key=${"f".repeat(32)}`,
      "Sentry sentry_key=,sentry_key",
      "sentry sentry_version=8",
      `Sentry sentry_key=${"\u00ff".repeat(40)}`,
      "Basic =",
      "",
    ]),
  },
});

/** Rare, because it costs as much as a hundred others. */
const grow = onBody((body, random) =>
  random.below(20) === 19
    ? Buffer.concat([body, Buffer.alloc(random.pick([1_100_000, 3_000_000]), random.pick([" ", "\n", "x", "[", "\0"]))])
    : body,
);

const recompress = onBody((body) => gzipSync(body, { level: 1 }));

/** Text changes are more frequent than others, because they get further before they are noticed. */
const mutations: readonly Mutation[] = [
  flipBits,
  truncate,
  splice,
  repeatPart,
  replaceValue,
  replaceValue,
  replaceValue,
  editItemLength,
  editContentLength,
  swapEncoding,
  swapType,
  swapKey,
  grow,
  recompress,
];

/** Damages a sample in one to three ways. */
export function mutate(original: Sample, other: Buffer, random: Random): Sample {
  let sample = original;
  for (let count = random.pick([1, 1, 2, 3]); count > 0; count--)
    sample = random.pick(mutations)(sample, random, other);
  return sample;
}

/** Replaces one match of a pattern in a body of text. Other bodies stay as they are. */
function replaceOne(body: Buffer, pattern: RegExp, replacement: (captured: string) => string, random: Random): Buffer {
  const text = body.toString("latin1"); // one character per byte
  const matches = [...text.matchAll(pattern)];
  if (matches.length === 0) return body;
  const { 0: whole, 1: captured = "", index } = random.pick(matches);
  return Buffer.from(text.slice(0, index) + replacement(captured) + text.slice(index + whole.length), "latin1");
}
