import { ServiceError, type BackendCall } from "@faultline/plugin";
import { ErrorReason } from "@faultline/proto";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { ExpensiveReads } from "../../plugins/integrated-backend/src/expensive-reads.ts";

const test = suite("expensive reads");

/** Reads that end when the test says so, by name, in the order in which they began. */
class Reads {
  readonly begun: string[] = [];
  readonly #reads: ExpensiveReads;
  readonly #ends = new Map<string, () => void>();

  constructor(atOnce: number) {
    this.#reads = new ExpensiveReads({ atOnce });
  }

  take(name: string, { userId, projectId, signal }: BackendCall & { projectId: number }): Promise<string> {
    return this.#reads.take(
      { userId, signal },
      {
        projectId,
        advice: "Ask for less.",
        run: () => {
          this.begun.push(name);
          return new Promise((resolve) => this.#ends.set(name, () => resolve(name)));
        },
      },
    );
  }

  async end(name: string): Promise<void> {
    this.#ends.get(name)?.();
    await settled();
  }

  get underWay(): number {
    return this.#reads.underWay;
  }
}

/** Resolves when all promises that can continue have continued. */
const settled = () => new Promise<void>((resolve) => setImmediate(resolve));

const refusalOf = (read: Promise<unknown>) =>
  read.then(
    () => Promise.reject(new Error("the read was not refused")),
    (error: unknown) => error as ServiceError, // all that is thrown on purpose
  );

test("one user's reads run one after another, and another user's do not wait for them", async () => {
  const reads = new Reads(2);
  for (const name of ["a1", "a2", "a3"]) void reads.take(name, { userId: 1, projectId: 10 });
  void reads.take("b1", { userId: 2, projectId: 20 });
  await settled();
  assert.equal(reads.begun, ["a1", "b1"]);
  await reads.end("a1");
  assert.equal(reads.begun, ["a1", "b1", "a2"]);
  assert.is(reads.underWay, 3);
});

test("users take turns, however many reads one of them has waiting", async () => {
  const reads = new Reads(1);
  for (const name of ["a1", "a2", "a3"]) void reads.take(name, { userId: 1, projectId: 10 });
  void reads.take("b1", { userId: 2, projectId: 20 });
  void reads.take("c1", { userId: 3, projectId: 30 });
  for (const name of ["a1", "a2", "b1", "c1", "a3"]) {
    await settled();
    assert.is(reads.begun.at(-1), name);
    await reads.end(name);
  }
  assert.is(reads.underWay, 0);
});

test("one project has one read at a time, and its other users keep nobody else waiting", async () => {
  const reads = new Reads(2);
  for (const userId of [1, 2, 3]) void reads.take(`busy ${userId}`, { userId, projectId: 10 });
  void reads.take("other", { userId: 4, projectId: 20 });
  await settled();
  assert.equal(reads.begun, ["busy 1", "other"]);
  await reads.end("other");
  assert.equal(reads.begun, ["busy 1", "other"], "a reader stays free");
  await reads.end("busy 1");
  assert.equal(reads.begun, ["busy 1", "other", "busy 2"]);
});

test("everything that may begin begins when a read ends", async () => {
  const reads = new Reads(2);
  void reads.take("a1", { userId: 1, projectId: 10 });
  void reads.take("a2", { userId: 1, projectId: 20 });
  void reads.take("b1", { userId: 2, projectId: 10 });
  await settled();
  await reads.end("a1");
  assert.equal(reads.begun, ["a1", "a2", "b1"]);
});

test("a user has one read running and five waiting; more are refused with the time to wait, of that user alone", async () => {
  const reads = new Reads(2);
  for (let n = 1; n <= 6; n++) void reads.take(`a${n}`, { userId: 1, projectId: 10 });
  const refusal = await refusalOf(reads.take("a7", { userId: 1, projectId: 20 }));
  assert.is(refusal.reason, ErrorReason.TOO_MANY_ATTEMPTS);
  assert.is(refusal.retryAfterSeconds, 3);
  void reads.take("b1", { userId: 2, projectId: 20 });
  await settled();
  assert.equal(reads.begun, ["a1", "b1"]);
  await reads.end("a1");
  void reads.take("a7 again", { userId: 1, projectId: 10 }).catch(() => assert.unreachable("there is room again"));
  await settled();
});

test("a read whose caller left while it waited never begins, and makes room", async () => {
  const reads = new Reads(2);
  void reads.take("first", { userId: 1, projectId: 10 });
  const left = new AbortController();
  const waiting = Array.from({ length: 5 }, (_, n) =>
    refusalOf(reads.take(`abandoned ${n}`, { userId: 1, projectId: 10, signal: left.signal })),
  );
  left.abort();
  await Promise.all(waiting);
  assert.is(reads.underWay, 1);
  await refusalOf(reads.take("too late", { userId: 1, projectId: 10, signal: left.signal }));
  void reads.take("next", { userId: 1, projectId: 10 });
  await reads.end("first");
  assert.equal(reads.begun, ["first", "next"]);
});

test("a read that takes too long is ended, and the refusal says what to ask for instead", async () => {
  const reads = new ExpensiveReads({ atOnce: 1, limitMs: 10 });
  const refusal = await refusalOf(
    reads.take({ userId: 1 }, { projectId: 10, advice: "Ask for less.", run: ({ signal }) => untilAborted(signal) }),
  );
  assert.is(refusal.reason, ErrorReason.READ_TOO_EXPENSIVE);
  assert.is(refusal.message, "This took longer than 0.01 s and was canceled. Ask for less.");
  assert.is(reads.underWay, 0);
});

test("a read that fails by itself fails as it did, and the next one begins", async () => {
  const reads = new ExpensiveReads({ atOnce: 1 });
  const read = { projectId: 10, advice: "" };
  const failure = new Error("of the database");
  const failing = reads.take({ userId: 1 }, { ...read, run: () => Promise.reject(failure) });
  assert.is(await failing.catch((error: unknown) => error), failure);
  assert.is(await reads.take({ userId: 1 }, { ...read, run: () => Promise.resolve("answer") }), "answer");
});

/** As a statement ends that is cancelled; the timer keeps the process alive, which the limit's own does not. */
function untilAborted(signal: AbortSignal | undefined): Promise<never> {
  return new Promise((_, reject) => {
    const alive = setInterval(() => undefined, 1_000);
    signal?.addEventListener("abort", () => {
      clearInterval(alive);
      reject(signal.reason as Error);
    });
  });
}

test.run();
