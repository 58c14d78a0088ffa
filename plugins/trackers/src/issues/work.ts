import { setTimeout as delay } from "node:timers/promises";
import type { Host } from "@faultline/plugin";
import { FairQueue } from "@faultline/plugin/flow";
import { openTracker } from "../call-tracker.ts";
import { trackerKindNamed } from "../kinds.ts";
import type { TrackerRow, TrackerTables } from "../tables.ts";
import { TrackerFailure } from "../tracker-failure.ts";
import { openTrackerConfig } from "../tracker.ts";
import { takeUp } from "./create-issue.ts";
import { dueWork, type DueWork } from "./due-work.ts";
import { changePaceMs, trackerWait } from "./pace.ts";
import type { Console } from "./read-issue-text.ts";
import { readStates } from "./read-states.ts";
import { sendChange } from "./send-change.ts";

/** Trackers that are called at once, all and those of one project. */
const trackersAtOnce = 16;
const ofProject = 2;

/** How soon what becomes due is begun while the calls of another tracker take long. */
const lookEachMs = 500;

/**
 * Does what is due with the issues of all trackers: of each one creation, one change and one reading. Projects take turns, and while
 * one tracker hangs, for up to 15 s a call, the work of the others goes on. Runs in one process of the installation at a time.
 */
export async function workOnIssues(console: Console, signal: AbortSignal): Promise<void> {
  const { host } = console;
  const queue = new FairQueue({ atOnce: trackersAtOnce, ofOwner: ofProject });
  const running = new Map<number, Promise<void>>();
  const failures = new Map<number, unknown>();
  do {
    const due = await dueWork(host.database, {
      now: host.clock.now(),
      except: [...running.keys(), ...failures.keys()],
    });
    for (const work of due) {
      const { id, project_id: projectId } = work.tracker;
      const owner = `project ${projectId}`;
      const done = queue
        .run({ owners: [owner], signal }, () => workOnTracker(console, work, signal))
        .catch((failure: unknown) => void failures.set(id, failure))
        .finally(() => running.delete(id));
      running.set(id, done);
    }
    const all = Promise.all(running.values());
    await (signal.aborted ? all : Promise.race([all, delay(lookEachMs)]));
  } while (running.size > 0);
  if (signal.aborted) return;
  for (const failure of failures.values()) throw failure;
}

async function workOnTracker(console: Console, work: DueWork, signal: AbortSignal): Promise<void> {
  const { host } = console;
  const { tracker: row, creating, changes, reading } = work;
  const kind = trackerKindNamed(row.kind);
  const tracker = { row, kind, open: openTracker(host, kind, openTrackerConfig(host.secrets, row).fields) };
  try {
    const [creation] = creating;
    if (creation) await takeUp(console, creation);
    const [change] = changes;
    if (change && !signal.aborted) await sendChange(console, tracker, change);
    if (reading.length > 0 && !signal.aborted) await readStates(host, tracker, reading);
    if (change) await note(host, row, changePaceMs);
    else if (row.failed_calls > 0 && reading.length > 0) await note(host, row, 0);
  } catch (failure) {
    if (!(failure instanceof TrackerFailure)) throw failure;
    await note(host, row, failure);
  }
}

/** Notes at the tracker whether its calls succeed, and for how long it is left alone. */
async function note({ database, clock }: Host, row: TrackerRow, came: TrackerFailure | number): Promise<void> {
  const isFailure = came instanceof TrackerFailure;
  const failedCalls = isFailure ? row.failed_calls + 1 : 0;
  const waitMs = isFailure ? Math.max(came.retryAfterMs, trackerWait(failedCalls)) : came;
  const failure = isFailure ? came.message : "";
  await database
    .write<TrackerTables>()
    .updateTable("notifier_tracker")
    .set({ failed_calls: failedCalls, failure, next_call_at: clock.now() + waitMs })
    .where("id", "=", row.id)
    .execute();
}
