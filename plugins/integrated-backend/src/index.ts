import {
  contractVersion,
  ServiceError,
  type BackendCall,
  type ErrorBackend,
  type ErrorDeletions,
  type Host,
  type Intake,
  type Plugin,
  type StoredErrors,
} from "@faultline/plugin";
import { Backend, ErrorReason } from "@faultline/proto";
import type { Kysely } from "kysely";
import { getErrorBreakdown } from "./breakdown/get-error-breakdown.ts";
import { scheduleCounting } from "./counts/count-events.ts";
import { UsualFactsReader } from "./breakdown/usual-facts.ts";
import { Deletions } from "./deletions/deletions.ts";
import { Discards } from "./deletions/discards.ts";
import { ExpensiveReads, type ExpensiveRead } from "./expensive-reads.ts";
import { changedErrors, getErrors, errorProject, getError } from "./lists/errors.ts";
import { getEvent, listEvents } from "./lists/events.ts";
import { explainGrouping } from "./lists/explain-grouping.ts";
import { OldestEvents } from "./retention/evict-events.ts";
import { scheduleRetention, retentionDays } from "./retention/retention.ts";
import { Aliases } from "./grouping/aliases.ts";
import { Claims } from "./grouping/claims.ts";
import { groupEvents } from "./grouping/group-events.ts";
import { Previews } from "./grouping/preview.ts";
import { regroup } from "./grouping/regroup.ts";
import { scheduleUpgrade } from "./grouping/upgrade.ts";
import { installationStats, getErrorStats } from "./lists/stats.ts";
import { listErrors } from "./lists/list-errors.ts";
import { listSearchValues } from "./search/search-values.ts";
import { movable } from "./move/movable.ts";
import { NewErrors } from "./storing/new-errors.ts";
import { SampledOut } from "./storing/sampled-out.ts";
import { postgresqlMigrations } from "./postgresql/migrations.ts";
import { PostgresqlStorage } from "./postgresql/storage.ts";
import { Draws } from "./search/planning/draw.ts";
import { searchIndexIntervalMs, keepSearchIndex } from "./search/fill.ts";
import { newestRelease, listReleases, getSessionStats } from "./sessions/releases.ts";
import { listFeedback } from "./lists/feedback.ts";
import { sqliteMigrations } from "./sqlite/migrations.ts";
import { SqliteStorage } from "./sqlite/storage.ts";
import type { Storage } from "./storage.ts";
import type { Tables } from "./tables.ts";
import { storeIntake, tryStoring } from "./storing/store-intake.ts";
import { errorToProto, type ErrorRow } from "./lists/to-proto.ts";
import { changeStatuses, existing } from "./changes/change-statuses.ts";
import { countErrors, findErrors, newestError, updateMatching, updateErrors } from "./changes/update-matching.ts";
import { scheduleUsage, usage } from "./retention/usage.ts";

const alone = { alone: true };

/** The integrated backend: this service stores the errors in its own database. */
export function integratedBackend(): Plugin & { readonly backend: ErrorBackend } {
  const backend = new IntegratedBackend();
  return {
    name: "integrated-backend",
    contract: contractVersion,
    migrations: { sqlite: sqliteMigrations, postgresql: postgresqlMigrations },
    movable,
    backend,
    start: (host) => backend.start(host),
    stop: () => backend.stop(),
  };
}

class IntegratedBackend implements ErrorBackend {
  readonly kind = Backend.INTEGRATED;
  readonly capabilities = capabilities;

  #started:
    | {
        host: Host;
        storage: Storage;
        draws: Draws;
        expensive: ExpensiveReads;
        previews: Previews;
        oldest: OldestEvents;
        aliases: Aliases;
        claims: Claims;
        discards: Discards;
        deletions: Deletions;
        newErrors: NewErrors;
        sampledOut: SampledOut;
        usualFacts: UsualFactsReader;
      }
    | undefined;

  async start(host: Host): Promise<void> {
    const storage = host.database.kind === "sqlite" ? new SqliteStorage(host) : new PostgresqlStorage(host);
    await storage.prepare(host.clock.now());
    const { metrics, scheduler } = host;
    const expensive = ExpensiveReads.measured(storage.expensiveReads, metrics);
    const aliases = new Aliases(storage, host);
    const discards = new Discards(storage, host);
    const claims = new Claims({
      storage,
      host,
      aliases,
      isDiscarded: (projectId, hash) => discards.has(projectId, hash),
    });
    const deletions = new Deletions({ host, storage, expensive, discards });
    const sampledOut = new SampledOut({ storage, host, aliases });
    for (const known of [aliases, discards, claims]) await known.start();
    this.#started = {
      host,
      storage,
      draws: new Draws(storage),
      expensive,
      previews: new Previews({ storage, host, aliases }),
      oldest: new OldestEvents(storage.eviction),
      aliases,
      claims,
      discards,
      deletions,
      newErrors: new NewErrors(storage),
      sampledOut,
      usualFacts: new UsualFactsReader(storage),
    };
    scheduleRetention(storage, host);
    scheduleUpgrade({ storage, host, aliases, claims });
    scheduleUsage(storage, scheduler);
    scheduleCounting(storage, scheduler);
    scheduler.every(searchIndexIntervalMs, "index searches", (signal) => keepSearchIndex(storage, signal), alone);
    storage.schedule(host);
    for (const work of [deletions, sampledOut]) work.start();
  }

  /** Writes the last counts of events: of stored events, discarded events, and events beyond spike protection. */
  async stop(): Promise<void> {
    if (!this.#started) return;
    const { host, storage, discards, sampledOut } = this.#started;
    const write = (what: string, written: Promise<void>) =>
      written.catch((error: unknown) => host.log.error({ err: error }, what));
    await write("the last users and tags will be counted after the next start", storage.counting.settle());
    await write("the last discarded events were not counted", discards.write());
    await write("the last events beyond spike protection were not counted by error", sampledOut.settle());
  }

  get deletions(): ErrorDeletions {
    return this.#running.deletions;
  }

  readonly storedErrors: StoredErrors = {
    newest: (projectId) => newestError(this.#storage, projectId),
    find: (wanted, search) => findErrors(this.#running, wanted, search),
    setStatuses: (transaction, change) => changeStatuses(this.#storage, ofStore(transaction), change),
    existing: (transaction, projectId, errorIds) => existing(ofStore(transaction), projectId, errorIds),
  };

  async storeBatch(intake: Intake): Promise<void> {
    const { host, storage, aliases, claims, discards, newErrors } = this.#running;
    const sorted = discards.takeOut(await claims.claim(aliases.resolve(groupEvents(intake.events))));
    const limited = discards.takeOut(await newErrors.limit(sorted.kept)); // "Other errors" can be discarded too
    await claims.mark(limited.kept);
    const stored = await storeIntake(storage, intake, limited.kept);
    sorted.count();
    limited.count();
    host.errorChanges.publish(stored.changes);
    for (const outcome of stored.crowdedOut) host.events.note(outcome);
  }

  sampledOut: NonNullable<ErrorBackend["sampledOut"]> = (event, read) => this.#started?.sampledOut.note(event, read);

  tryStoring: NonNullable<ErrorBackend["tryStoring"]> = () => tryStoring(this.#storage, this.#now);

  regroup: NonNullable<ErrorBackend["regroup"]> = (projectId, read, signal) =>
    regroup(this.#running, { projectId, read, signal });

  previewRegrouping: NonNullable<ErrorBackend["previewRegrouping"]> = (request, call) =>
    this.#running.previews.preview(request, call);

  evictEvents: NonNullable<ErrorBackend["evictEvents"]> = (projectId, bytes) =>
    this.#running.oldest.evict(projectId, bytes);

  deleteProject: NonNullable<ErrorBackend["deleteProject"]> = (projectId) => this.#storage.deleteProject(projectId);

  listErrors: ErrorBackend["listErrors"] = (request, call) => {
    if (request.query === "") return listErrors(this.#running, request, this.#now);
    return this.#expensively(call, {
      projectId: request.projectId,
      advice: "Search by a key instead of free words, such as type:TypeError or environment:production.",
      run: (limits) => listErrors(this.#running, request, this.#now, limits),
    });
  };

  listSearchValues: NonNullable<ErrorBackend["listSearchValues"]> = (request, call) =>
    this.#expensively(call, {
      projectId: request.projectId,
      advice: "Type more of the value.",
      run: (limits) => listSearchValues(this.#storage, request, limits),
    });

  errorProject: NonNullable<ErrorBackend["errorProject"]> = (errorId) => errorProject(this.#storage, errorId);

  getError: ErrorBackend["getError"] = async (request) => {
    const row = await getError(this.#storage, request, this.#now);
    return { error: errorToProto(row), statusChangedRelease: await newestRelease(this.#storage, row) };
  };

  listEvents: ErrorBackend["listEvents"] = (request, call) => {
    if (request.query === "") return listEvents(this.#storage, request);
    return this.#expensively(call, {
      projectId: request.projectId,
      advice: "Request the events of a shorter time.",
      run: (limits) => listEvents(this.#storage, request, limits),
    });
  };

  getEvent: ErrorBackend["getEvent"] = (request, call) => {
    if (request.query === "") return getEvent(this.#storage, request);
    return this.#expensively(call, {
      projectId: request.projectId,
      advice: "Leave out the search to see the event.",
      run: (limits) => getEvent(this.#storage, request, limits),
    });
  };

  explainGrouping: NonNullable<ErrorBackend["explainGrouping"]> = (request, call) =>
    explainGrouping(this.#running, request, call);

  listFeedback: NonNullable<ErrorBackend["listFeedback"]> = (request) => listFeedback(this.#storage, request);

  listReleases: NonNullable<ErrorBackend["listReleases"]> = (request, call) =>
    this.#expensively(call, {
      projectId: request.projectId,
      advice: "Request fewer hours, or one environment.",
      run: (limits) => listReleases(this.#storage, request, this.#now, limits),
    });

  getSessionStats: NonNullable<ErrorBackend["getSessionStats"]> = (request, call) =>
    this.#expensively(call, {
      projectId: request.projectId,
      advice: "Request fewer hours, or one release.",
      run: (limits) => getSessionStats(this.#storage, request, this.#now, limits),
    });

  getErrorStats: ErrorBackend["getErrorStats"] = (request) => getErrorStats(this.#storage, request, this.#now);

  getErrorBreakdown: ErrorBackend["getErrorBreakdown"] = (request, call) =>
    this.#expensively(call, {
      projectId: request.projectId,
      advice: "Try again in a moment.",
      run: (limits) => getErrorBreakdown(this.#running, request, this.#now, limits),
    });

  getErrors: NonNullable<ErrorBackend["getErrors"]> = (request) => getErrors(this.#storage, request, this.#now);

  updateErrors: ErrorBackend["updateErrors"] = async (request, { username }) => {
    const actor = { by: username ?? "", at: this.#now };
    const { errors, before, notFound: notFoundErrorIds } = await updateErrors(this.#storage, request, actor);
    this.#publish(request.projectId, errors, username);
    const undo = before.map(({ id, status }) => ({ errorId: String(id), status }));
    return { errors: errors.map((row) => errorToProto(row)), undo, notFoundErrorIds };
  };

  getErrorCount: NonNullable<ErrorBackend["getErrorCount"]> = (request, call) =>
    countErrors(this.#running, request, { now: this.#now, call });

  updateMatchingErrors: NonNullable<ErrorBackend["updateMatchingErrors"]> = async (request, call) => {
    const { errors, answer } = await updateMatching(this.#running, request, { now: this.#now, call });
    this.#publish(request.projectId, errors, call.username);
    return answer;
  };

  /** `by`: the person who set the status. */
  #publish(projectId: number, errors: readonly ErrorRow[], by: string | undefined): void {
    this.#running.claims.forget();
    const hashes = new Set(errors.map(({ group_hash }) => group_hash.toString("hex")));
    this.#running.host.errorChanges.publish(new Map([[projectId, hashes]]), by);
  }

  installationStats: NonNullable<ErrorBackend["installationStats"]> = ({ now }) =>
    installationStats(this.#storage, now);

  usage: NonNullable<ErrorBackend["usage"]> = () => usage(this.#storage);

  changedErrors: NonNullable<ErrorBackend["changedErrors"]> = (request) =>
    changedErrors(this.#storage, request, this.#now);

  async #expensively<T>(call: BackendCall, read: ExpensiveRead<T>): Promise<T> {
    return this.#running.expensive.take(call, read);
  }

  get #running() {
    if (this.#started) return this.#started;
    throw new ServiceError(ErrorReason.STORAGE_UNAVAILABLE, "The service is starting. Try again in a moment.");
  }

  get #storage() {
    return this.#running.storage;
  }

  get #now() {
    return this.#running.host.clock.now();
  }
}

/** A transaction of a plugin, in which the backend uses its own tables. */
const ofStore = <T>(transaction: Kysely<T>) => transaction as unknown as Kysely<Tables>; // both are the same database

const allowed = { allowed: true };

/** The capabilities of projects with errors stored here. */
const capabilities = {
  read: allowed,
  updateStatus: allowed,
  listEvents: allowed,
  affectedUsers: allowed,
  clientKeys: allowed,
  watch: allowed,
  releases: allowed,
  deleteErrors: allowed,
  updateMatching: allowed,
  feedback: allowed,
  explainGrouping: allowed,
  retentionDays,
};
