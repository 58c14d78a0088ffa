import type { Counter, EventDoor, Intake, Metrics } from "@faultline/plugin";
import { OutcomeKind } from "@faultline/proto";
import type { KeepUnstored } from "../ingest/group-commit.ts";

/** From a sync of a fast disk to the five seconds after which a sender has given up. */
const secondsBounds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];

/** Counts what is acknowledged, and how long that takes. */
export function measureAcceptance(metrics: Metrics): { note(intake: Intake, ms: number): void } {
  const accepted = metrics.counter(
    "faultline_events_accepted_total",
    "Acknowledged items, by category: error, session or feedback. An event that arrives twice counts twice.",
    ["category"],
  );
  const [errors, sessions, feedback] = ["error", "session", "feedback"].map((category) => accepted.of(category));
  const latency = metrics
    .histogram(
      "faultline_acknowledgement_seconds",
      "Time from a fully read request until everything in it is durable.",
      secondsBounds,
    )
    .of();
  return {
    note(intake, ms) {
      latency.observe(ms / 1000);
      errors?.add(intake.events.length);
      sessions?.add(intake.sessions.length + intake.aggregates.length);
      feedback?.add(intake.feedback.length);
    },
  };
}

/** Notes outcomes, and counts them without their projects. Their words are fixed sets (outcome.proto). */
export function measuredNotes(note: EventDoor["note"], metrics: Metrics): EventDoor["note"] {
  const counter = (name: string, help: string) => metrics.counter(name, help, ["category", "reason"]);
  const counters = new Map<OutcomeKind, Counter>([
    [OutcomeKind.REFUSED, counter("faultline_events_refused_total", "Refused items; the sender received the refusal.")],
    [
      OutcomeKind.LEFT_ASIDE,
      counter(
        "faultline_events_left_aside_total",
        "Received items that are not kept, such as attachments and transactions.",
      ),
    ],
    [
      OutcomeKind.NOT_SENT,
      counter("faultline_events_not_sent_total", "Items that SDKs did not send, according to their reports."),
    ],
    [
      OutcomeKind.FILTERED,
      counter(
        "faultline_events_filtered_total",
        "Items that a filter, a discard or the spike protection of a project stopped.",
      ),
    ],
  ]);
  return (outcome) => {
    const { kind, category, reason, quantity } = outcome;
    if (quantity > 0) counters.get(kind)?.of(category, reason).add(quantity);
    note(outcome);
  };
}

type StoreBatch = (intake: Intake) => Promise<void>;

/** Stores batches, and measures them. */
export function measuredStore(store: StoreBatch, metrics: Metrics): StoreBatch {
  const batches = metrics.counter("faultline_batches_total", "Transactions that store received items.", ["result"]);
  const [stored, failed] = [batches.of("stored"), batches.of("failed")];
  const items = metrics
    .histogram(
      "faultline_batch_items",
      "Events, sessions and feedback in a batch.",
      [1, 2, 5, 10, 25, 50, 100, 250, 500],
    )
    .of();
  const duration = metrics
    .histogram("faultline_batch_seconds", "How long a batch took to be stored and synced.", secondsBounds)
    .of();
  return async (intake) => {
    const begunAt = performance.now();
    try {
      await store(intake);
    } catch (error) {
      failed.add();
      throw error;
    }
    stored.add();
    duration.observe((performance.now() - begunAt) / 1000);
    const { events, sessions, aggregates, feedback } = intake;
    items.observe(events.length + sessions.length + aggregates.length + feedback.length);
  };
}

/** Keeps items that cannot be stored, and counts them. */
export function measuredKeep(keep: KeepUnstored, metrics: Metrics): KeepUnstored {
  const unstored = metrics
    .counter(
      "faultline_events_unstored_total",
      "Acknowledged events that could not be stored and are kept as dead letters.",
    )
    .of();
  return async (event, reason) => {
    const isKept = await keep(event, reason);
    if (isKept) unstored.add();
    return isKept;
  };
}
