import { ServiceError } from "@faultline/plugin";
import { ErrorReason } from "@faultline/proto";
import { pathPattern } from "../path-pattern.ts";
import { sendJson, type Handler, type Route, type Visit } from "../visit.ts";
import { allowAnyOrigin, answerPreflight } from "./cors.ts";
import { IngestRefusal, type RefusalStatus } from "./refusal.ts";

/** A route for SDKs: open to every origin, and every refusal has the form that SDKs log. */
export function ingestion(path: string, handlers: Readonly<Record<string, Handler>>): Route {
  const allow = [...Object.keys(handlers), "OPTIONS"].join(", ");
  const door =
    (handler: Handler): Handler =>
    async (visit) => {
      allowAnyOrigin(visit.response);
      try {
        await handler(visit);
      } catch (error) {
        refuse(visit, error);
      }
    };
  return {
    pattern: pathPattern(path),
    methods: {
      ...Object.fromEntries(Object.entries(handlers).map(([method, handler]) => [method, door(handler)])),
      OPTIONS: door(async ({ response }) => answerPreflight(response)),
    },
    otherMethod: door(async ({ response }) => {
      response.setHeader("allow", allow);
      throw new IngestRefusal(405, "This address takes POST requests only.");
    }),
  };
}

/** The HTTP status of the core's refusals; the only place for SDKs that picks one. */
const statusOfReason: Partial<Record<ErrorReason, RefusalStatus>> = {
  [ErrorReason.CLIENT_KEY_REFUSED]: 403,
  [ErrorReason.STORAGE_UNAVAILABLE]: 503,
  [ErrorReason.OVERLOADED]: 503,
};

/** Seconds after which a request that was not stored may come again. */
const retryAfter = 30;

function refuse({ request, response, host }: Visit, thrown: unknown): void {
  if (request.destroyed && !request.complete) return; // the client went away in the middle of its body
  const refusal = thrown instanceof IngestRefusal ? thrown : fromCore(thrown);
  if (!refusal) {
    host.log.error({ err: thrown }, "an event could not be received");
    sendJson(response, 500, { detail: "The service failed.", causes: [] });
    return;
  }
  if (refusal.status === 503) response.setHeader("retry-after", String(retryAfter));
  if (refusal.status === 413) response.setHeader("connection", "close");
  response.setHeader("x-sentry-error", refusal.message);
  sendJson(response, refusal.status, { detail: refusal.detail, causes: refusal.causes });
}

function fromCore(thrown: unknown): IngestRefusal | undefined {
  if (!(thrown instanceof ServiceError)) return undefined;
  const status = statusOfReason[thrown.reason];
  return status && new IngestRefusal(status, thrown.message);
}
