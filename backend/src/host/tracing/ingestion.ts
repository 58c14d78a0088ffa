import type { IngestQueue, Intake, Tracing } from "@faultline/plugin";

/** A batch belongs to hundreds of acceptances; its span links to this many. */
const mostLinks = 16;

type StoreBatch = (intake: Intake) => Promise<void>;

interface TracedIngestion {
  queue(queue: IngestQueue): IngestQueue;
  store(store: StoreBatch): StoreBatch;
}

/** Traces acceptance and storing; a batch is linked to acceptances of this process. Without tracing: nothing. */
export function tracedIngestion(tracing: Tracing | undefined): TracedIngestion {
  if (!tracing) return { queue: (queue) => queue, store: (store) => store };
  /** The spans of acceptances, by the first item they brought. */
  const acceptances = new WeakMap<object, string>();
  return {
    queue: (queue) => ({
      async accept(intake) {
        const span = tracing.begin("accept", { attributes: sizeOf(intake) });
        const [first] = itemsOf(intake);
        if (first) acceptances.set(first, span.traceparent);
        await ended(span, () => queue.accept(intake));
      },
    }),
    store: (store) => async (intake) => {
      const links: string[] = [];
      for (const item of itemsOf(intake)) {
        const acceptance = acceptances.get(item);
        if (acceptance !== undefined) links.push(acceptance);
        if (links.length === mostLinks) break;
      }
      const span = tracing.begin("store batch", { isOwnTrace: true, links, attributes: sizeOf(intake) });
      await ended(span, () => store(intake));
    },
  };
}

function* itemsOf({ events, sessions, aggregates, feedback }: Intake): Generator<object> {
  yield* events;
  yield* sessions;
  yield* aggregates;
  yield* feedback;
}

function sizeOf({ events, sessions, aggregates, feedback }: Intake) {
  return {
    "faultline.events": events.length,
    "faultline.sessions": sessions.length + aggregates.length,
    "faultline.feedback": feedback.length,
  };
}

/** Runs the work of a span and ends it. */
async function ended(span: ReturnType<Tracing["begin"]>, work: () => Promise<void>): Promise<void> {
  try {
    await span.within(work);
    span.end();
  } catch (error) {
    span.end({ isFailed: true });
    throw error;
  }
}
