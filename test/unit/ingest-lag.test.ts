import { timestamp, type Lag } from "@faultline/plugin";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { ingestLag } from "../../backend/src/services/instance/ingest-lag.ts";

const ingest = suite("ingest lag");

/** The servers' report at 100 s of the process's time. */
const lag = (fields: Partial<Lag> = {}): Lag => ({
  acceptedAt: 9_000,
  storedAt: 4_000,
  pending: 3,
  lagMs: 6_000,
  reportedAt: 10_000,
  askedAt: 100_000,
  ...fields,
});
const at = (milliseconds: number, fields?: Partial<Lag>) =>
  ingestLag({ lag: () => lag(fields) }, 100_000 + milliseconds);

ingest("without a queue there is none, and before its first answer nothing is known", () => {
  assert.is(ingestLag(undefined), undefined);
  assert.equal(ingestLag({ lag: () => undefined }), { known: false });
});

ingest("while something waits, everything before the oldest that waits is stored", () => {
  assert.equal(at(900), { known: true, storedUntilTime: timestamp(4_000), lagMilliseconds: 6_000n });
});

ingest("when nothing waits, everything is stored that was accepted before the servers reported that", () => {
  const fields = { pending: 0, storedAt: 9_000, lagMs: 0 };
  assert.equal(at(900, fields), { known: true, storedUntilTime: timestamp(10_000), lagMilliseconds: 0n });
});

ingest("it holds for five seconds; of servers that are silent for longer nothing is known", () => {
  assert.is(at(5_000)?.known, true);
  assert.equal(at(5_001), { known: false, storedUntilTime: timestamp(4_000), lagMilliseconds: 6_000n });
});

ingest.run();
