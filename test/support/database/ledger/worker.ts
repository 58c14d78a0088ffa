/**
 * A client that records what it sends. It is a separate process, so that the record survives whatever happens to the
 * service and the test. It writes a line to a file before the first byte of an event leaves, and after the last byte of
 * an answer was read; see ledger.ts. The argument is WorkerOptions as JSON, and each message is a Round.
 */
import { fdatasync, fdatasyncSync, openSync, writeSync } from "node:fs";
import { randomFrom } from "../../../bench/node-event.ts";
import { load, type LoadRequest } from "../../service/load.ts";
import type { LedgerLine } from "./ledger.ts";
import { requestBytes, Traffic, type LedgerProject, type SentEvent } from "./traffic.ts";

export interface WorkerOptions {
  readonly worker: number;
  readonly seed: number;
  readonly file: string;
  readonly connections: number;
  readonly projects: readonly LedgerProject[];
}

export interface Round {
  readonly url: string;
  readonly era: number;
  /** A key of the first project that is deleted during the round. */
  readonly doomedKey?: string | undefined;
  /** The round ends after this time; undefined if it ends when everything was answered or the service is gone. */
  readonly forMs?: number;
  /** The shortest time between two requests of a connection, in milliseconds. Default 0: as fast as answers come. */
  readonly everyMs?: number;
  /**
   * The number of new events, in addition to events without an answer; undefined if the round sends events until it
   * ends.
   */
  readonly newEvents?: number;
  /** The share of events that are sent two to five times simultaneously, to any entry points. Default: an eighth. */
  readonly repeatedShare?: number;
}

export type WorkerMessage = "first answer" | "over";

interface Known {
  readonly event: SentEvent;
  readonly json: string;
}

interface Sending extends LoadRequest {
  readonly known: Known;
  readonly isDoomed: boolean;
}

const { worker, seed, file, connections, projects } = JSON.parse(process.argv[2] ?? "{}") as WorkerOptions;
const random = randomFrom(seed + worker * 7919);
const traffic = new Traffic(worker, projects, random);
const ledger = openSync(file, "a");
const note = (line: LedgerLine) => writeSync(ledger, `${JSON.stringify(line)}\n`);
const report = (message: WorkerMessage) => process.send?.(message);
setInterval(() => fdatasync(ledger, () => undefined), 50).unref();

/** Events to send again in the next round: all without an answer, and some of the answered ones. */
let again: Known[] = [];

process.on("message", (round: Round) => void run(round).then(() => report("over")));
process.once("disconnect", () => process.exit());

async function run(round: Round): Promise<void> {
  const { url, era, doomedKey, forMs = Infinity, everyMs, newEvents = Infinity, repeatedShare = 1 / 8 } = round;
  const { host } = new URL(url);
  const endAt = performance.now() + forMs;
  // Errors from before the previous era may be deleted already, and would come back if they were sent again.
  const waiting = again.filter(({ event }) => event.era >= era - 1);
  const unanswered = new Map<string, Known>();
  again = [];
  let isFirst = true;
  let made = 0;

  const next = (): Sending | undefined => {
    if (performance.now() > endAt) return undefined;
    let known = waiting.pop();
    if (!known) {
      if (made >= newEvents) return undefined;
      made++;
      known = traffic.next(era);
      note({ sent: known.event });
      if (known.event.countedSessions === 0 && random() < repeatedShare)
        for (let copy = 1 + Math.floor(random() * 4); copy > 0; copy--) waiting.push(known);
    }
    const { id, project, countedSessions } = known.event;
    if (countedSessions === 0) unanswered.set(id, known);
    const isDoomed = doomedKey !== undefined && project === projects[0]?.id && random() < 0.3;
    const keys = projects.find((one) => one.id === project)?.keys ?? [];
    const key = isDoomed ? doomedKey : (keys[Math.floor(random() * keys.length)] ?? "");
    return { id, known, isDoomed, parts: [requestBytes(known, { host, key, random })] };
  };

  await load({
    url,
    connections,
    next,
    ...(everyMs !== undefined && { everyMs }),
    onAnswer(request, status, text) {
      const { id, known, isDoomed } = request as Sending; // `next` returns only these
      if (isFirst) report("first answer");
      isFirst = false;
      const isPromised =
        (status === 200 && text().endsWith(`{"id":"${id}"}`)) ||
        (status === 403 && isDoomed) ||
        (status === 503 && /^retry-after: *\d/im.test(text()));
      note({ answered: id, status, ...(!isPromised && { odd: text() }) });
      if (status !== 200) return;
      unanswered.delete(id);
      if (known.event.countedSessions === 0 && random() < 0.05) again.push(known);
    },
  });
  // Some events without an answer are never sent again. They are stored once or not at all.
  again.push(...waiting, ...[...unanswered.values()].filter(() => newEvents < Infinity || random() < 0.8));
  fdatasyncSync(ledger);
}
