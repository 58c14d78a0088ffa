import { gunzipSync } from "node:zlib";
import * as fc from "fast-check";
import { readCaptures, type Capture } from "../support/sentry/capture.ts";
import { mutate, type Sample } from "../support/sentry/mutation.ts";
import { randomOf } from "../support/sentry/random.ts";
import { encoders, plain } from "./encoders.ts";

/** A request of a real SDK, damaged. */
export interface Damaged {
  readonly capture: Capture;
  readonly sample: Sample;
  /** Bytes of each chunk; 0: with Content-Length. */
  readonly chunkSize: number;
}

/** The choices that make a damaged request, as numbers below 1. fast-check shrinks them one by one. */
const choices = fc.array(
  fc.nat({ max: 0xffff_ffff }).map((number) => number / 0x1_0000_0000),
  { minLength: 40, maxLength: 40, size: "max" },
);

/** Captures that were damaged in one to three ways; `prepare` may change each body before. */
export function damaged(prepare: (body: Buffer) => Buffer = (body) => body): fc.Arbitrary<Damaged> {
  const captures = readCaptures().map((capture) => ({ capture, body: prepare(opened(capture.body)) }));
  return choices.map((shares) => {
    const random = randomOf(shares);
    const { capture, body } = random.pick(captures);
    const other = random.pick(captures).body;
    const { name, encode } = random.pick(encodings);
    const fresh = withIds(body, random.below(2 ** 32), random.below(2 ** 32));
    const headers: Record<string, string> = name === "" ? {} : { "Content-Encoding": name };
    const chunkSize = random.pick([0, 0, 0, 1000, 17]);
    return { capture, sample: mutate({ body: encode(fresh), headers, lengthError: 0 }, other, random), chunkSize };
  });
}

/** The bodies alone. */
export const damagedBody = damaged().map(({ sample }) => sample.body);

/** Mostly plain: damage to what is compressed seldom gets further than the decoder. */
const encodings = [plain, plain, plain, plain, plain, ...encoders];

/** Gives each request new ids, so that its event is stored and not a repetition. */
function withIds(body: Buffer, ...numbers: readonly number[]): Buffer {
  const id = numbers
    .map((number) => number.toString(16).padStart(8, "0"))
    .join("")
    .padStart(32, "f");
  const text = body.toString("latin1"); // one character a byte
  return Buffer.from(text.replaceAll(/(?<="(?:event_id|sid)":\s?")[0-9a-f-]{32,36}/g, id), "latin1");
}

function opened(body: Buffer): Buffer {
  return body[0] === 0x1f && body[1] === 0x8b ? gunzipSync(body) : body;
}
