import {
  contractVersion,
  ServiceError,
  type BackendCall,
  type ErrorBackend,
  type Host,
  type Plugin,
} from "@faultline/plugin";
import { Backend, ErrorReason } from "@faultline/proto";
import { Asking, changeMs } from "./calling/external-call.ts";
import { getErrorBreakdown } from "./errors/breakdown.ts";
import { getErrorStats, getEvent, listEvents } from "./errors/events.ts";
import { failureOf } from "./calling/failures.ts";
import { getError, listErrors } from "./errors/issues.ts";
import { listProjects } from "./projects/list-projects.ts";
import { transitionsOf, updateErrors } from "./errors/update-errors.ts";
import { Upstreams } from "./calling/upstreams.ts";

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
