import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { FairQueue } from "@faultline/plugin/flow";
import { invalidField, pageSizeOf, readSearch, ServiceError, type Handlers, type Log } from "@faultline/plugin";
import {
  Backend,
  ErrorReason,
  ListErrorsRequestSchema,
  Permission,
  type AskedProjectSchema,
  type ErrorService,
  type ListAllErrorsRequest,
  type ProjectErrorsSchema,
  ErrorSort,
  type ErrorSchema,
} from "@faultline/proto";
import type { MikroORM } from "@mikro-orm/sql";
import type { Grants, Grant } from "../access/grants.ts";
import type { CoreCall } from "../access/guard.ts";
import { needsRole } from "../access/roles.ts";
import { type SettingsRow, SettingsEntity } from "../tables/settings.ts";
import type { ProjectDirectory } from "../projects/project-directory.ts";
import { ProjectEntity } from "../tables/project.ts";
import type { UserRow } from "../tables/user.ts";
import { rolesWith, visibleProjects } from "../access/visible-projects.ts";

/**
 * Projects read concurrently from our own database, which has two readers, for all callers together. With 4, 100
 * projects of 50 errors took 440 ms, and another call waited at most 30 ms; 500 ms and 60 ms with 2, 550 ms and 210 ms
 * with 16.
 */
const storedAtOnce = 4;

/** Projects requested concurrently from one external system, for all callers together. */
const externalAtOnce = 16;

/** How long an external system may take for a project. */
const deadlineMs = 10_000;

type Answer = Exclude<MessageInitShape<typeof ProjectErrorsSchema>, { $typeName: string }> & {
  readonly projectId: number;
};

/**
 * Lists the errors of all projects that the caller may read. Each source of errors has a separate queue, so that a slow
 * external system delays neither stored errors nor the answers of another system. Callers take turns in each queue.
 */
export function allErrors(parts: {
  orm: MikroORM;
  projects: ProjectDirectory;
  grants: Grants;
  log: Log;
}): Handlers<typeof ErrorService, CoreCall>["listAllErrors"] {
  const { projects, grants, log } = parts;

  const askedToProto = ({ grant, settings }: Asked): MessageInitShape<typeof AskedProjectSchema> => ({
    projectId: grant.project.id,
    path: grant.project.path,
    name: grant.project.name,
    external: settings.backend === Backend.EXTERNAL,
    canUpdateStatus: projects.capabilities(grant, settings).updateStatus?.allowed ?? false,
  });

  /** `left` is aborted when nobody waits for the answer anymore. */
  const ask = async (
    { grant, settings }: Asked,
    request: ListAllErrorsRequest,
    { userId, left }: { userId: number; left: AbortSignal },
  ): Promise<Answer> => {
    const projectId = grant.project.id;
    const late = settings.backend === Backend.EXTERNAL ? AbortSignal.timeout(deadlineMs) : undefined;
    const signal = late ? AbortSignal.any([left, late]) : left;
    const { query, status, sort } = request;
    try {
      left.throwIfAborted(); // the caller may have left while waiting for its turn
      const [backend, carried] = await projects.backend(grant.project, { userId, signal });
      const wanted = create(ListErrorsRequestSchema, { projectId, query, status, sort, pageSize: pageSizeOf(request) });
      const answer = await unlessAborted(signal, () => backend.listErrors(wanted, carried));
      const { errors = [], statusCounts, staleSinceTime } = answer;
      return { projectId, errors, statusCounts, staleSinceTime };
    } catch (thrown) {
      if (left.aborted) return { projectId };
      return refusal(projectId, late?.aborted === true ? tooLate : thrown);
    }
  };

  /** Called right before an answer is sent: the caller may have lost the right to it meanwhile. */
  const unlessHidden = async (answer: Answer, userId: number): Promise<Answer> => {
    const { projectId } = answer;
    try {
      const { permissions, project } = await grants.now(userId, projectId);
      if (permissions.has(Permission.READ_ERROR_TRACKING)) return answer;
      throw new ServiceError(ErrorReason.FORBIDDEN, needsRole(Permission.READ_ERROR_TRACKING, project.path));
    } catch (thrown) {
      return refusal(projectId, thrown);
    }
  };

  const refusal = (projectId: number, thrown: unknown): Answer => {
    const { reason, message, retryAfterSeconds, cause } = ServiceError.from(thrown);
    if (reason === ErrorReason.INTERNAL)
      log.error({ err: cause, projectId }, "the errors of a project were not listed");
    return { projectId, refusal: { reason, message, retryAfterSeconds } };
  };

  const queues = new Queues();

  return async function* (request, { caller, signal }) {
    checkTexts(request);
    const { asked, leftOut } = await askedProjects(caller.user, request.projectQuery.trim(), parts);
    yield { part: { case: "asked", value: { projects: asked.map(askedToProto), leftOut } } };

    const left = signal ?? new AbortController().signal;
    const { id: userId } = caller.user;
    const answers = asked.map((one) =>
      queues.run({ settings: one.settings, query: request.query, userId }, () => ask(one, request, { userId, left })),
    );
    const first = new FirstErrors(pageSizeOf(request), request.sort);
    for await (const answer of asTheyCome(answers)) {
      if (left.aborted) return;
      const { errors = [], ...rest } = await unlessHidden(answer, caller.user.id);
      yield { part: { case: "answer", value: { ...rest, errors: first.of(errors) } } };
    }
  };
}

/** The queues of the sources of errors: our own database, and each external system with requests in progress. */
class Queues {
  readonly #stored = new FairQueue({ atOnce: storedAtOnce });
  /** The integrated backend runs a user's searches one after another, and lets only a few of them wait. */
  readonly #searched = new FairQueue({ atOnce: storedAtOnce, ofOwner: 1 });
  readonly #external = new FairQueue({ atOnce: Infinity, ofOwner: externalAtOnce });

  run<T>(asking: { settings: SettingsRow; query: string; userId: number }, task: () => Promise<T>): Promise<T> {
    const { settings, query, userId } = asking;
    const { backend, externalApiUrl: url } = settings;
    if (backend === Backend.EXTERNAL) return this.#external.run({ owners: [`${userId} at ${url}`, url] }, task);
    return (query === "" ? this.#stored : this.#searched).run({ owners: [`${userId}`] }, task);
  }
}

/**
 * A text that every backend refuses is refused for the whole call; a refusal of one backend is reported for its
 * project.
 */
function checkTexts({ query, projectQuery }: ListAllErrorsRequest): void {
  readSearch(query);
  if (projectQuery.length > 200) throw invalidField("project_query", "A search has at most 200 characters.");
}

const tooLate = new ServiceError(
  ErrorReason.EXTERNAL_UNREACHABLE,
  `The external system did not answer within ${deadlineMs / 1000} seconds.`,
);

/** Applies the deadline even if a backend does not check its signal immediately. */
function unlessAborted<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    signal.addEventListener("abort", () => reject(signal.reason as Error), { once: true });
    work().then(resolve, reject);
  });
}

/** Yields the values of promises in the order in which they resolve; fails as soon as a promise fails. */
async function* asTheyCome<T>(promises: Iterable<Promise<T>>): AsyncGenerator<T> {
  const waiting = new Map([...promises].map((promise, n) => [n, promise.then((value) => ({ n, value }))]));
  while (waiting.size > 0) {
    const { n, value } = await Promise.race(waiting.values());
    waiting.delete(n);
    yield value;
  }
}

type ErrorInit = MessageInitShape<typeof ErrorSchema>;

/** Filters lists that arrive one after another down to the errors that can be among the first of all lists. */
class FirstErrors {
  readonly #size: number;
  readonly #valueOf: (error: ErrorInit) => number;
  /** The sort values of the first errors so far, in order. */
  #values: number[] = [];

  constructor(size: number, sort: ErrorSort) {
    this.#size = size;
    this.#valueOf = valueOf[sort] ?? lastSeen;
  }

  /** Leaves out errors that certainly come after the first errors of all lists so far. */
  of(errors: readonly ErrorInit[]): ErrorInit[] {
    const values = errors.map(this.#valueOf);
    this.#values = [...this.#values, ...values].toSorted((a, b) => b - a).slice(0, this.#size);
    const least = this.#values.length < this.#size ? -Infinity : (this.#values.at(-1) ?? -Infinity);
    return errors.filter((error) => this.#valueOf(error) >= least);
  }
}

const lastSeen = ({ lastSeenTime }: ErrorInit) => milliseconds(lastSeenTime);

const valueOf: Readonly<Record<ErrorSort, (error: ErrorInit) => number>> = {
  [ErrorSort.UNSPECIFIED]: lastSeen,
  [ErrorSort.LAST_SEEN]: lastSeen,
  [ErrorSort.FIRST_SEEN]: ({ firstSeenTime }) => milliseconds(firstSeenTime),
  [ErrorSort.EVENT_COUNT]: ({ eventCount = 0 }) => eventCount,
  [ErrorSort.USER_COUNT]: ({ affectedUserCount = 0 }) => affectedUserCount,
};

const milliseconds = (time: ErrorInit["lastSeenTime"]) =>
  Number(time?.seconds ?? 0) * 1000 + (time?.nanos ?? 0) / 1_000_000;

/** The most projects in a call: all their answers are in memory while they are merged. */
const mostAsked = 100;

/** A project with errors to list. */
interface Asked {
  readonly grant: Grant;
  readonly settings: SettingsRow;
}

/** The projects with working error tracking and errors that a user may read, ordered by path. */
async function askedProjects(
  user: UserRow,
  text: string,
  { orm, grants }: { orm: MikroORM; grants: Grants },
): Promise<{ asked: Asked[]; leftOut: number }> {
  const em = orm.em.fork();
  const readers = await rolesWith(em, Permission.READ_ERROR_TRACKING);
  const active = em.createQueryBuilder(SettingsEntity).select("id").where({ active: true });
  const [rows, count] = await em.findAndCount(
    ProjectEntity,
    {
      monitorEnabled: true,
      $and: [visibleProjects(em, user, { text, roles: readers }), { id: { $in: active.toRaw() } }],
    },
    { orderBy: { path: "asc" }, limit: mostAsked },
  );
  const settings = await em.find(SettingsEntity, { id: { $in: rows.map(({ id }) => id) } });
  const settingsOf = new Map(settings.map((row) => [row.id, row]));
  const asked = await Promise.all(
    rows.map(async ({ id }) => {
      const grant = await grants.of(user, id).catch(unlessGone);
      const known = settingsOf.get(id);
      return grant?.permissions.has(Permission.READ_ERROR_TRACKING) && known ? [{ grant, settings: known }] : [];
    }),
  );
  return { asked: asked.flat(), leftOut: count - rows.length };
}

/** A project may be deleted while it is being looked up. */
function unlessGone(error: unknown): undefined {
  if (!(error instanceof ServiceError && error.reason === ErrorReason.PROJECT_NOT_FOUND)) throw error;
}
