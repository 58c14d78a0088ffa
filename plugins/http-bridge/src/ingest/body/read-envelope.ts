import type { IncomingMessage } from "node:http";
import { maxBodyBytes } from "../limits.ts";
import { readSmallBody } from "./decoded-body.ts";
import { Holding } from "./holding.ts";
import { EnvelopeReader, parseEnvelope, type Envelope } from "./envelope.ts";
import { IngestRefusal } from "../refusal.ts";
import type { Body } from "./stored-payload.ts";
import { streamBody } from "./stream-body.ts";

/** An envelope, and the body it came in when that was small. */
export interface ReceivedEnvelope {
  readonly envelope: Envelope;
  readonly body: Body | undefined;
}

/** Reads the envelope in a request's body, holding of a large one what is kept of its items. */
export async function readEnvelope(request: IncomingMessage): Promise<ReceivedEnvelope> {
  const max = maxBodyBytes.envelope;
  using holding = new Holding();
  const { start, body } = await readSmallBody(request, max, holding);
  if (body) return { envelope: parseEnvelope(body.decoded), body };
  const reader = new EnvelopeReader();
  let fault: IngestRefusal | undefined;
  const take = (piece: Buffer) => {
    if (fault) return;
    try {
      reader.push(piece);
      holding.hold(start.bytes.length + reader.heldBytes);
    } catch (error) {
      if (!(error instanceof IngestRefusal) || error.status === 503) throw error;
      fault = error; // read on without it: what is too large as well is refused as that, a bomb by its name
    }
  };
  await streamBody(request, { start, max, take });
  if (fault) throw fault;
  return { envelope: reader.end(), body: undefined };
}
