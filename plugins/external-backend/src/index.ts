import type { MessageInitShape } from "@bufbuild/protobuf";
import {
  contractVersion,
  ServiceError,
  type BackendCall,
  type ErrorBackend,
  type Host,
  type Plugin,
  type Clock,
  type ExternalLink,
  type Log,
  type Outbound,
  type ExternalTarget,
} from "@faultline/plugin";
import { Backend, ErrorReason, type ListExternalProjectsResponseSchema } from "@faultline/proto";
import { Asking, changeMs } from "./calling/external-call.ts";
import { getErrorBreakdown } from "./errors/breakdown.ts";
import { getErrorStats, getEvent, listEvents } from "./errors/events.ts";
import { failureOf } from "./calling/failures.ts";
import { getError, listErrors } from "./errors/issues.ts";
import { transitionsOf, updateErrors } from "./errors/update-errors.ts";
import { Upstream, addressOf } from "./calling/upstream.ts";
import { readCursors, readProjects, readScopes } from "./reading/index.ts";
import { parsed, send } from "./calling/send.ts";

/** The external backend: reads errors from a separately deployed error-tracking system over the Sentry web API. */
export function externalBackend(): Plugin & { readonly backend: ErrorBackend } {
  const backend = new ExternalBackend();
  return {
    name: "external-backend",
    contract: contractVersion,
    backend,
    start: (host) => backend.start(host),
  };
}

const allowed = { allowed: true };
const noWatching = "The external system does not announce changes. Pages check for changes each minute.";
const noMatching = "The external system can only change selected errors. Select them page by page.";
const noDeleting =
  "Delete errors of an external system there: Faultline's token cannot delete them because it lacks event:admin.";
const noFeedback = "The external system lists user feedback. Here, feedback is shown with its event.";
const noGrouping = "The external system groups its errors by its own rules. The reasons are shown there.";
const noReleases = "The external system does not offer release health.";

class ExternalBackend implements ErrorBackend {
  readonly kind = Backend.EXTERNAL;
  readonly capabilities = {
    read: allowed,
    updateStatus: allowed,
    listEvents: allowed,
    affectedUsers: allowed,
    clientKeys: { allowed: false, reason: "Client keys belong to the integrated backend." },
    watch: { allowed: false, reason: noWatching },
    releases: { allowed: false, reason: noReleases },
    deleteErrors: { allowed: false, reason: noDeleting },
    updateMatching: { allowed: false, reason: noMatching },
    feedback: { allowed: false, reason: noFeedback },
    explainGrouping: { allowed: false, reason: noGrouping },
    retentionDays: 0,
  };

  #started: { host: Host; upstreams: Upstreams } | undefined;

  async start(host: Host): Promise<void> {
    const upstreams = new Upstreams(host);
    this.#started = { host, upstreams };
    host.scheduler.every(60_000, "forget idle external systems", async () => upstreams.forgetIdle());
  }

  listErrors: ErrorBackend["listErrors"] = (request, call) =>
    this.#ask(request, call, (asking) => listErrors(asking, request));

  getError: ErrorBackend["getError"] = (request, call) =>
    this.#ask(request, call, async (asking) => {
      const error = await getError(asking, request.errorId);
      return { error, ...asking.stale };
    });

  updateErrors: ErrorBackend["updateErrors"] = async (request, call) => {
    const updated = await this.#ask(request, call, (asking) => updateErrors(asking, request), changeMs);
    const { errorChanges, clock, log } = this.#running.host;
    const transitions = transitionsOf(request.projectId, updated, { at: clock.now(), by: call.username ?? "" });
    await errorChanges.note(transitions).catch((failure: unknown) => {
      log.error({ err: failure }, "transitions of external errors could not be noted"); // the errors are changed all the same
    });
    return updated;
  };

  listEvents: ErrorBackend["listEvents"] = (request, call) =>
    this.#ask(request, call, (asking) => listEvents(asking, request));

  getEvent: ErrorBackend["getEvent"] = (request, call) =>
    this.#ask(request, call, (asking) => getEvent(asking, request));

  getErrorStats: ErrorBackend["getErrorStats"] = (request, call) =>
    this.#ask(request, call, (asking) => getErrorStats(asking, request));

  getErrorBreakdown: ErrorBackend["getErrorBreakdown"] = (request, call) =>
    this.#ask(request, call, (asking) => getErrorBreakdown(asking, request));

  listProjects: NonNullable<ErrorBackend["listProjects"]> = async (target, call) =>
    listProjects(this.#running.host, target, call);

  async #ask<T>(
    { projectId }: { projectId: number },
    call: BackendCall,
    answer: (asking: Asking) => Promise<T>,
    timeMs?: number,
  ): Promise<T> {
    const { host, upstreams } = this.#running;
    const upstreamOf = (link: NonNullable<BackendCall["link"]>) => upstreams.of(projectId, link);
    try {
      return await answer(
        new Asking({ projectId, call, now: host.clock.now(), upstreamOf, ...(timeMs && { timeMs }) }),
      );
    } catch (thrown) {
      throw failureOf(thrown);
    }
  }

  get #running() {
    if (this.#started) return this.#started;
    throw new ServiceError(ErrorReason.STORAGE_UNAVAILABLE, "The service is starting. Try again in a moment.");
  }
}

/** For all projects together; one project may have 2 MiB. */
const maxBytes = 32 * 1024 * 1024;

/** A project is forgotten if nobody reads its errors for this long. */
const idleMs = 900_000;

interface Entry {
  readonly upstream: Upstream;
  readonly revision: number;
  usedAt: number;
}

/** The external systems of all projects. Each is on its own: no project waits for another. */
export class Upstreams {
  readonly #parts: { outbound: Outbound; clock: Clock; log: Log };
  /** By our project id; the least recently used first. */
  readonly #entries = new Map<number, Entry>();

  constructor({ outbound, clock, log }: { outbound: Outbound; clock: Clock; log: Log }) {
    this.#parts = { outbound, clock, log };
  }

  /** The external system of a project. A change of the settings starts from an empty memory. */
  of(projectId: number, { revision }: ExternalLink): Upstream {
    const known = this.#entries.get(projectId);
    this.#entries.delete(projectId);
    const remembered = () => this.#makeRoom();
    const upstream =
      known?.revision === revision ? known.upstream : new Upstream({ ...this.#parts, projectId, remembered });
    this.#entries.set(projectId, { upstream, revision, usedAt: this.#parts.clock.now() });
    return upstream;
  }

  /** Forgets the projects that nobody has read in the last minutes. */
  forgetIdle(): void {
    for (const [projectId, { usedAt }] of this.#entries) {
      if (this.#parts.clock.now() - usedAt <= idleMs) return;
      this.#entries.delete(projectId);
    }
  }

  #makeRoom(): void {
    const entries = [...this.#entries.values()];
    let bytes = entries.reduce((sum, { upstream }) => sum + upstream.bytes, 0);
    for (const { upstream } of entries) {
      if (bytes <= maxBytes) return;
      bytes -= upstream.bytes;
      upstream.forget();
    }
  }
}

/** Time for all requests of Connect. */
const connectMs = 10_000;

/** The purpose of each scope; a scope that implies another scope counts for it. */
const neededScopes = [
  { scope: "project:read", or: ["project:write", "project:admin"], lack: "so its projects cannot be listed" },
  { scope: "event:read", or: ["event:write", "event:admin"], lack: "so errors cannot be read from here" },
  { scope: "event:write", or: ["event:admin"], lack: "so errors cannot be resolved from here" },
];

/**
 * The projects that a token can see: the first page, at most 100, as in the original. Also warnings of what works but
 * should be known: these are asked for at the same time, and without a report of the system there is no warning.
 * No version is asked for: the rule of specification 9.1 is about the installation's own failures, not about
 * applications of developers.
 */
async function listProjects(
  parts: { readonly outbound: Outbound; readonly clock: Clock },
  target: ExternalTarget,
  { signal }: BackendCall,
): Promise<MessageInitShape<typeof ListExternalProjectsResponseSchema>> {
  const done = new AbortController();
  const until = AbortSignal.any([done.signal, AbortSignal.timeout(connectMs), ...(signal ? [signal] : [])]);
  const get = (url: string) => send(parts, { method: "GET", url }, target, until);
  try {
    const [{ body, headers }, scopes] = await Promise.all([
      get(addressOf(target.apiUrl, ["projects"])),
      get(addressOf(target.apiUrl, []))
        .then((answer) => readScopes(parsed(answer.body)))
        .catch(() => undefined),
    ]);
    const externalProjects = readProjects(parsed(body));
    const { next } = readCursors(headers["link"]);
    return {
      externalProjects,
      warnings: [
        ...(scopes ? missingScopes(scopes) : []),
        ...(next === undefined ? [] : ["The token sees more projects. Only the first 100 are shown."]),
      ],
    };
  } catch (thrown) {
    throw failureOf(thrown);
  } finally {
    done.abort(); // nobody waits for the rest when the list has failed
  }
}

function missingScopes(scopes: readonly string[]): string[] {
  return neededScopes
    .filter(({ scope, or }) => ![scope, ...or].some((one) => scopes.includes(one)))
    .map(({ scope, lack }) => `The token lacks ${scope}, ${lack}.`);
}
