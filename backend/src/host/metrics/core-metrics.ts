import { readdirSync, readFileSync } from "node:fs";
import { monitorEventLoopDelay, performance } from "node:perf_hooks";
import {
  type Counter,
  type EventDoor,
  type Intake,
  type Metrics,
  type Scheduler,
  bytesUnderWay,
  unreadAnswers,
} from "@faultline/plugin";
import { OutcomeKind } from "@faultline/proto";
import {
  ResponderBuilder,
  ServerInterceptingCall,
  ServerListenerBuilder,
  status,
  type ServerInterceptor,
} from "@grpc/grpc-js";
import type { KeepUnstored } from "../ingest/group-commit.ts";
import type { MetricRegistry } from "./registry.ts";

/** From the sync of a fast disk to five seconds, when senders give up. */
const secondsBounds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];

/** Counts acknowledged items, and measures how long an acknowledgment takes. */
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

/** Notes outcomes, and counts them without their projects. Their labels are fixed sets (outcome.proto). */
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

/** Counts the calls of a server by method and code. grpc-js passes on only existing methods, so their names are few. */
export function countedCalls(metrics: Metrics): (server: "public" | "console") => ServerInterceptor {
  const calls = metrics.counter(
    "faultline_grpc_calls_total",
    "gRPC calls that ended, including calls from our own console, by method and status code.",
    ["server", "method", "code"],
  );
  return (server) => (definition, call) => {
    const method = definition.path.replace(/^\/(?:faultline\.v1\.)?/, "").replace("/", ".");
    let hasEnded = false;
    const end = (code: number) => {
      if (!hasEnded) calls.of(server, method, status[code] ?? String(code)).add();
      hasEnded = true;
    };
    const listener = new ServerListenerBuilder().withOnCancel(() => end(status.CANCELLED)).build();
    const responder = new ResponderBuilder()
      .withStart((next) => next(listener))
      .withSendStatus((sent, next) => {
        end(sent.code);
        next(sent);
      })
      .build();
    return new ServerInterceptingCall(call, responder);
  };
}

/** Runs work as the scheduler does, and counts its results by name. */
export function measuredScheduler(scheduler: Scheduler, metrics: Metrics): Scheduler {
  const runs = metrics.counter("faultline_task_runs_total", "Runs of scheduled work: done or failed.", [
    "task",
    "result",
  ]);
  return {
    every(intervalMs, name, task, options) {
      const [done, failed] = [runs.of(name, "done"), runs.of(name, "failed")];
      const counted: typeof task = async (signal) => {
        try {
          await task(signal);
          done.add();
        } catch (error) {
          failed.add();
          throw error;
        }
      };
      scheduler.every(intervalMs, name, counted, options);
    },
  };
}

/** How often the lag of the event loop is sampled. */
const lagResolutionMs = 20;

/** Measures the process itself, under the names that dashboards expect. Returns the function that stops it. */
export function measureProcess(metrics: MetricRegistry, version: string): () => void {
  metrics.info("faultline_build_info", "The release and its Node version; always 1.", {
    version,
    node: process.version,
  });
  const startedAt = (Date.now() - process.uptime() * 1000) / 1000;
  metrics.gauge("process_start_time_seconds", "When the process began, in seconds since 1970.", () => startedAt);
  metrics.gauge("process_resident_memory_bytes", "Resident memory.", () => process.memoryUsage.rss());
  metrics.gauge("nodejs_heap_used_bytes", "Memory of JavaScript objects.", () => process.memoryUsage().heapUsed);
  metrics.gauge("nodejs_external_memory_bytes", "Memory of buffers.", () => process.memoryUsage().external);
  metrics.gauge("faultline_unfinished_requests_bytes", "Bytes of requests held in memory; at most 128 MiB.", () =>
    bytesUnderWay(),
  );
  metrics.gauge("faultline_unread_answers_bytes", "Bytes of answers that nobody has read yet; at most 64 MiB.", () => {
    return unreadAnswers.bytes;
  });
  metrics.gauge("process_open_fds", "Open file descriptors. Linux only.", () => openFiles());
  metrics.gauge("process_max_fds", "The limit of open file descriptors. Linux only.", () => openFileLimit());
  metrics.total("process_cpu_seconds_total", "Processor time of all threads.", () => {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1e6;
  });
  metrics.total("nodejs_event_loop_active_seconds_total", "Time in which the event loop was not idle.", () => {
    return performance.eventLoopUtilization().active / 1000;
  });
  const delay = monitorEventLoopDelay({ resolution: lagResolutionMs });
  delay.enable();
  metrics.gauge("nodejs_event_loop_lag_max_seconds", "The longest lag of the event loop since the last scrape.", () => {
    const longestMs = delay.max / 1e6 - lagResolutionMs; // the delay includes the interval itself
    delay.reset();
    return Math.max(0, longestMs) / 1000;
  });
  return () => delay.disable();
}

/** Undefined if the system does not report the number. */
function openFiles(): number | undefined {
  if (process.platform !== "linux") return undefined;
  return readdirSync("/proc/self/fd").length - 1; // without the descriptor that lists them
}

function openFileLimit(): number | undefined {
  if (process.platform !== "linux") return undefined;
  const [, limit = ""] = /^Max open files\s+(\d+)/m.exec(readFileSync("/proc/self/limits", "utf8")) ?? [];
  return limit === "" ? undefined : Number(limit);
}
