import * as fc from "fast-check";
import { faults, type Fault } from "./faults.ts";
import { hostileObject, text } from "./hostile-event.ts";

/** How the end of an item is marked. */
export type Length = "number" | "text" | "null" | "none";

/** How an id is written, if at all. */
export type IdForm = "hex" | "uuid" | "none" | "not an id";

/** The content of an item. write-item.ts gives it its meaning. */
export type Content =
  | { readonly kind: "event"; readonly message: string; readonly id: IdForm; readonly more: object }
  | { readonly kind: "transaction event" }
  | {
      readonly kind: "broken";
      readonly type: "event" | "session" | "sessions" | "client_report";
      readonly text: string;
    }
  | { readonly kind: "session"; readonly sid: number; readonly isUsable: boolean; readonly more: object }
  | { readonly kind: "sessions"; readonly exited: readonly number[] }
  | { readonly kind: "client report" }
  | { readonly kind: "user report" }
  | { readonly kind: "bytes"; readonly type: string | number | undefined; readonly bytes: Uint8Array };

export interface ItemShape {
  readonly content: Content;
  readonly length: Length;
  readonly more: object;
  readonly blankLinesBehind: number;
}

/** An envelope but for the ids and times, which are new each time it is written. */
export interface EnvelopeShape {
  readonly id: IdForm;
  readonly sentAt: "now" | "tomorrow" | "garbage" | "none";
  readonly hasDsn: boolean;
  readonly more: object;
  readonly lineEnd: "\n" | "\r\n";
  readonly items: readonly ItemShape[];
  readonly ending: "" | "\n" | "\n\n\r\n\n";
  /** The fault that makes the whole of it unreadable. */
  readonly fault: Fault | undefined;
}

const idForm = fc.constantFrom<IdForm>("hex", "uuid", "none", "not an id");
const odd = fc.dictionary(
  fc.constantFrom("trace", "sdk", "content_type", "filename", "item_count", "a\nb", "漢字"),
  fc.oneof(fc.string({ unit: "binary", maxLength: 12 }), fc.nat(), fc.constantFrom(null, [], {}, { a: [1] })),
  { maxKeys: 3 },
);
const anyBytes = fc.oneof(
  fc.uint8Array({ maxLength: 60 }),
  fc.constantFrom('\n{"type":"event"}\n{"message":"not this"}\n', "\0\0\n\n\r\n", "a\rb").map((it) => Buffer.from(it)),
);

const content: fc.Arbitrary<Content> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant("event"),
      message: fc.string({ unit: "binary", maxLength: 40 }),
      id: idForm,
      more: hostileObject,
    }),
  },
  fc.record({ kind: fc.constant("transaction event") }),
  fc.record({
    kind: fc.constant("broken"),
    type: fc.constantFrom("event", "session", "sessions", "client_report"),
    text: fc.constantFrom("{", "[]", "null", "42", '"x"', '{"a":}', "", "\u0000", `{"a":${"[".repeat(64)}`),
  }),
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant("session"),
      sid: fc.nat({ max: 2 }),
      isUsable: fc.boolean(),
      more: fc.record(
        {
          status: text,
          init: fc.boolean(),
          seq: fc.nat(),
          errors: fc.oneof(text, fc.nat()),
          did: fc.oneof(text, fc.nat()),
        },
        { requiredKeys: [] },
      ),
    }),
  },
  fc.record({ kind: fc.constant("sessions"), exited: fc.array(fc.integer({ min: -1, max: 5 }), { maxLength: 4 }) }),
  fc.record({ kind: fc.constant("client report") }),
  fc.record({ kind: fc.constant("user report") }),
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant("bytes"),
      type: fc.constantFrom("attachment", "transaction", "profile", "log", "foo", "", "__proto__", 5, undefined),
      bytes: anyBytes,
    }),
  },
);

const item: fc.Arbitrary<ItemShape> = fc.record({
  content,
  length: fc.constantFrom<Length>("number", "text", "null", "none"),
  more: odd,
  blankLinesBehind: fc.constantFrom(0, 0, 0, 1, 3),
});

/** Envelopes of all kinds, of which one in ten cannot be read. */
export const envelopeShape: fc.Arbitrary<EnvelopeShape> = fc.record({
  id: idForm,
  sentAt: fc.constantFrom("now", "tomorrow", "garbage", "none"),
  hasDsn: fc.boolean(),
  more: odd,
  lineEnd: fc.constantFrom("\n", "\r\n"),
  items: fc.array(item, { maxLength: 8 }),
  ending: fc.constantFrom("", "\n", "\n\n\r\n\n"),
  fault: fc.oneof(
    { weight: 9, arbitrary: fc.constant(undefined) },
    fc.constantFrom(...(Object.keys(faults) as Fault[])),
  ),
});
