import {
  contractVersion,
  ServiceError,
  type ErrorBackend,
  type Host,
  type Intake,
  type Plugin,
} from "@faultline/plugin";
import { Backend, ErrorReason } from "@faultline/proto";
import { createBatchProcedure } from "./batch-procedure.ts";
import { createDeleteProcedure } from "./delete-procedure.ts";
import { deleteProject } from "./delete-project.ts";
import { errorProject, getError, withSettledLastSeen } from "./errors.ts";
import { getEvent, listEvents } from "./events.ts";
import { installationStats } from "./installation-stats.ts";
import { listErrors } from "./list-errors.ts";
import { Integrated0001 } from "./migrations/integrated-0001.ts";
import { Integrated0002 } from "./migrations/integrated-0002.ts";
import { Integrated0003 } from "./migrations/integrated-0003.ts";
import { Integrated0004 } from "./migrations/integrated-0004.ts";
import { createPackProcedure } from "./payloads/pack-procedure.ts";
import { packNext } from "./payloads/pack.ts";
import { deleteExpired, giveSpaceBack, retentionDays } from "./retention.ts";
import { listReleases } from "./sessions/releases.ts";
import { getSessionStats } from "./sessions/session-stats.ts";
import { createSessionProcedure } from "./sessions/store-sessions.ts";
import { getErrorStats } from "./stats.ts";
import { storeIntake } from "./store-intake.ts";
import type { Tables } from "./tables.ts";
import { errorToProto } from "./to-proto.ts";
import { updateErrors } from "./update-errors.ts";
import { ErrorChanges } from "./watch.ts";
import { EventRowIds, KnownRows, type WriterMemory } from "./writer-memory.ts";

const retentionIntervalMs = 3_600_000;
const packingIntervalMs = 5_000;

/** Beyond this many events a millisecond, packing leaves the machine to ingestion: it takes 0.4 ms of a core for 25 kB. */
const busyRate = 0.5;

const watchedErrors = 100;

/** The integrated backend: this service itself stores the errors, in its own database. */
export function integratedBackend(): Plugin & { readonly backend: ErrorBackend } {
  const backend = new IntegratedBackend();
  return {
    name: "integrated-backend",
    contract: contractVersion,
    migrations: { sqlite: [Integrated0001, Integrated0002, Integrated0003, Integrated0004], postgresql: [] },
    backend,
    start: (host) => backend.start(host),
  };
}

const allowed = { allowed: true };

class IntegratedBackend implements ErrorBackend {
  readonly kind = Backend.INTEGRATED;
  readonly capabilities = {
    read: allowed,
    updateStatus: allowed,
    listEvents: allowed,
    affectedUsers: allowed,
    clientKeys: allowed,
    watch: allowed,
    releases: allowed,
    retentionDays,
  };

  readonly #changes = new ErrorChanges();
  #hasFreedSpace = false;
  #seen = { rowId: Infinity, at: 0 };
  #lastSearch: Promise<unknown> = Promise.resolve();
  #started: { host: Host; memory: WriterMemory } | undefined;

  async start(host: Host): Promise<void> {
    await createBatchProcedure(host.database.write<Tables>());
    await createPackProcedure(host.database.write<Tables>());
    await createDeleteProcedure(host.database.write<Tables>());
    await createSessionProcedure(host.database.write<Tables>());
    const newest = await host.database
      .read<Tables>()
      .selectFrom("integrated_event")
      .select(({ fn }) => fn.max("id").as("id"))
      .executeTakeFirst();
    this.#started = { host, memory: { rowIds: new EventRowIds(newest?.id ?? 0), knownRows: new KnownRows() } };
    const { deletionClock, log, scheduler } = host;
    const retain = async (signal: AbortSignal) => {
      const deleted = await deleteExpired(this.#write, deletionClock.now(), signal);
      if (deleted > 0) log.info({ deleted }, "deleted rows older than the retention");
    };
    scheduler.every(retentionIntervalMs, "retention", retain);
    scheduler.every(packingIntervalMs, "pack payloads", (signal) => this.#pack(signal));
  }

  async storeBatch(intake: Intake): Promise<void> {
    this.#changes.announce(await storeIntake(this.#write, this.#running.memory, intake));
  }

  /** Packs payloads while the process has little else to do, and gives back what that frees once all are packed. */
  async #pack(signal: AbortSignal): Promise<void> {
    const { database, clock } = this.#running.host;
    const sides = { read: database.read<Tables>(), write: database.write<Tables>() };
    while (!signal.aborted) {
      if (this.#isBusy()) return;
      if (!(await packNext(sides, clock.now()))) break;
      this.#hasFreedSpace = true;
    }
    if (!this.#hasFreedSpace) return;
    await giveSpaceBack(sides.write, signal);
    this.#hasFreedSpace = signal.aborted;
  }

  /** Whether many events were stored since this was asked last. */
  #isBusy(): boolean {
    const now = { rowId: this.#running.memory.rowIds.last, at: performance.now() };
    const before = this.#seen;
    this.#seen = now;
    return (now.rowId - before.rowId) / (now.at - before.at) > busyRate;
  }

  deleteProject(projectId: number): Promise<boolean> {
    return deleteProject(this.#write, projectId);
  }

  /** A search may have to read every error of a project. One at a time leaves the other reader to the pages. */
  listErrors: ErrorBackend["listErrors"] = (request) => {
    if (request.query === "") return listErrors(this.#read, request, this.#now);
    const search = this.#lastSearch.then(() => listErrors(this.#read, request, this.#now));
    this.#lastSearch = search.catch(() => undefined); // its caller is told; the next search is another matter
    return search;
  };

  errorProject: NonNullable<ErrorBackend["errorProject"]> = (errorId) => errorProject(this.#read, errorId);

  getError: ErrorBackend["getError"] = async (request) => ({
    error: errorToProto(await getError(this.#read, request, this.#now)),
  });

  listEvents: ErrorBackend["listEvents"] = (request) => listEvents(this.#read, request);

  getEvent: ErrorBackend["getEvent"] = (request) => getEvent(this.#read, request);

  listReleases: ErrorBackend["listReleases"] = (request) => listReleases(this.#read, request, this.#now);

  getSessionStats: ErrorBackend["getSessionStats"] = (request) => getSessionStats(this.#read, request, this.#now);

  getErrorStats: ErrorBackend["getErrorStats"] = (request) => getErrorStats(this.#read, request, this.#now);

  updateErrors: ErrorBackend["updateErrors"] = async (request) => {
    const { errors, before } = await updateErrors(this.#write, request, this.#now);
    const hashes = new Set(errors.map(({ group_hash }) => group_hash.toString("hex")));
    this.#changes.announce(new Map([[request.projectId, hashes]]));
    return {
      errors: errors.map((row) => errorToProto(row)),
      undo: before.map(({ id, status }) => ({ errorId: String(id), status })),
    };
  };

  installationStats: NonNullable<ErrorBackend["installationStats"]> = ({ now }) => installationStats(this.#read, now);

  async *watchErrors(...[request, { signal }]: Parameters<ErrorBackend["watchErrors"]>) {
    for await (const hashes of this.#changes.of(request.projectId, signal ?? new AbortController().signal)) {
      const rows = await withSettledLastSeen(this.#read, this.#now)
        .where("project_id", "=", request.projectId)
        .where(
          "group_hash",
          "in",
          [...hashes].slice(0, watchedErrors).map((hash) => Buffer.from(hash, "hex")),
        )
        .execute();
      yield { errors: rows.map((row) => errorToProto(row)), more: hashes.size > watchedErrors };
    }
  }

  get #running() {
    if (this.#started) return this.#started;
    throw new ServiceError(ErrorReason.STORAGE_UNAVAILABLE, "The service is starting. Try again in a moment.");
  }

  get #write() {
    return this.#running.host.database.write<Tables>();
  }

  get #read() {
    return this.#running.host.database.read<Tables>();
  }

  get #now() {
    return this.#running.host.clock.now();
  }
}
