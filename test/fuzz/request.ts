import * as fc from "fast-check";
import { withDsnOf } from "../support/sentry/capture.ts";
import type { Project } from "../support/core/project.ts";
import { chunked, chunkedHeaders, headOf } from "../support/http/raw-request.ts";
import { damaged, type Damaged } from "./damage.ts";
import { bareDeflate, encoders, plain, type Encoder } from "./encoders.ts";
import { envelopeShape, type EnvelopeShape } from "./envelope-shape.ts";

/** How an envelope is carried: by what it is compressed, and bytes of each chunk, 0 for Content-Length. */
export interface Carriage {
  readonly encoder: Encoder;
  readonly chunkSize: number;
}

/** The input of a property: an envelope with a known result, or a damaged request. */
export type Sent =
  | { readonly shape: EnvelopeShape; readonly carriage: Carriage; readonly damaged?: never }
  | { readonly damaged: Damaged; readonly shape?: never };

const carriage: fc.Arbitrary<Carriage> = fc.record({
  encoder: fc.constantFrom(plain, { ...plain, name: "identity" }, bareDeflate, ...encoders),
  chunkSize: fc.constantFrom(0, 0, 0, 0, 1, 13, 500),
});

/** Requests to a project, one half of each kind. */
export function sentTo(project: Project): fc.Arbitrary<Sent> {
  return fc.oneof(
    fc.record({ shape: envelopeShape, carriage }),
    damaged((body) => withDsnOf(project, body)).map((one) => ({ damaged: one })),
  );
}

/** A request as it goes out. */
export interface Wire {
  readonly head: string;
  readonly body: Buffer;
  /** True when the body is not as long as the head says: what follows it has no meaning. */
  readonly isLast: boolean;
}

/** An envelope on its way. */
export function envelopeWire(project: Project, body: Buffer, { encoder, chunkSize }: Carriage): Wire {
  return wire(project, "envelope", {
    body: encoder.encode(body),
    headers: { "Content-Encoding": encoder.name },
    chunkSize,
  });
}

/** A damaged request on its way, to the door that its SDK sent it to. */
export function damagedWire(project: Project, { capture, sample, chunkSize }: Damaged): Wire {
  const { lengthError, ...rest } = sample;
  const door = capture.target.includes("/envelope/") ? "envelope" : "store";
  return wire(project, door, { ...rest, chunkSize: lengthError === 0 ? chunkSize : 0, lengthError });
}

/** Each chunk of a compressed body is a trip to a thread: 10,000 took four seconds on a busy machine. */
const maxChunks = 2_000;

interface Parts {
  readonly body: Buffer;
  readonly headers: Readonly<Record<string, string>>;
  readonly chunkSize: number;
  readonly lengthError?: number;
}

function wire(
  project: Project,
  door: "store" | "envelope",
  { body, headers, chunkSize, lengthError = 0 }: Parts,
): Wire {
  const length = { "Content-Length": `${Math.max(body.length + lengthError, 0)}` };
  return {
    head: headOf(project, { door, headers: { ...headers, ...(chunkSize > 0 ? chunkedHeaders : length) } }),
    body: chunkSize > 0 ? chunked(body, Math.max(chunkSize, Math.ceil(body.length / maxChunks))) : body,
    isLast: lengthError !== 0,
  };
}
