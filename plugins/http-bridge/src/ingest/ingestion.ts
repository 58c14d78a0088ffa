import { ClientKeyRefusal, QuotaRefusal, ServiceError } from "@faultline/plugin";
import { answerTo } from "@faultline/proto";
import { pathPattern } from "../addresses.ts";
import { sendJson, setHeaders, type Handler, type Route, type RequestContext } from "../request-context.ts";
import { receivedBytes } from "./body/received-bytes.ts";
import { answerPreflight } from "./cors.ts";
import { noteRefusal } from "./outcomes.ts";
import { sendPixel } from "./pixel.ts";
import { IngestRefusal, type RefusalStatus } from "./refusal.ts";
import { announceQuota } from "./rate-limit-use.ts";

/**
 * A route for SDKs: open to every origin, with refusals in the form that SDKs log. `category` is the category of its
 * items, as in outcome.proto.
 */
export function ingestion(path: string, category: string, handlers: Readonly<Record<string, Handler>>): Route {
  const allow = [...Object.keys(handlers), "OPTIONS"].join(", ");
  const door =
    (handler: Handler): Handler =>
    async (context) => {
      try {
        await handler(context);
      } catch (error) {
        refuse(context, error, category);
      }
    };
  return {
    pattern: pathPattern(path),
    kind: "ingestion",
    methods: {
      ...Object.fromEntries(Object.entries(handlers).map(([method, handler]) => [method, door(handler)])),
      OPTIONS: door(async ({ response, headers }) => {
        setHeaders(response, headers);
        answerPreflight(response, allow);
      }),
    },
    otherMethod: door(async ({ response }) => {
      response.setHeader("allow", allow);
      throw new IngestRefusal(405, "This address accepts only POST requests.");
    }),
  };
}

function refuse(context: RequestContext, thrown: unknown, category: string): void {
  const { request, response, host, headers, query } = context;
  if (request.destroyed && !request.complete) return; // the client left in the middle of its body
  setHeaders(response, headers);
  const refusal = thrown instanceof IngestRefusal ? thrown : fromCore(thrown);
  if (!refusal) {
    host.log.error({ err: thrown }, "an event could not be received");
    sendJson(response, 500, { detail: "The service failed.", causes: [] });
    return;
  }
  noteRefusal(context, refusal, category, receivedBytes(request));
  if (thrown instanceof QuotaRefusal && refusal.status === 429) announceQuota(response, thrown);
  if (refusal.retryAfterSeconds !== undefined) response.setHeader("retry-after", String(refusal.retryAfterSeconds));
  const isLongBody = refusal.status === 413 && !request.complete;
  if (isLongBody) response.setHeader("connection", "close"); // a new connection costs as much as a refusal
  response.setHeader("x-sentry-error", refusal.message);
  if (request.method === "GET" && query.has("sentry_data")) sendPixel(response, refusal.status);
  else if (isLongBody) sendBeforeBodyEnds(context, refusal);
  else sendJson(response, refusal.status, bodyOf(refusal));
}

function bodyOf({ detail, causes }: IngestRefusal) {
  return { detail, causes };
}

/** How long a client may continue to send a refused body. */
const lingerMs = 2_000;

/**
 * Sends an answer while the body still arrives. If the connection closes after the answer, Node cuts it immediately,
 * and a client that is still sending gets a reset instead of the answer. So the end of the answer waits for the body.
 */
function sendBeforeBodyEnds({ request, response }: RequestContext, refusal: IngestRefusal): void {
  const text = JSON.stringify(bodyOf(refusal));
  response.writeHead(refusal.status, { "content-type": "application/json", "content-length": Buffer.byteLength(text) });
  response.write(text);
  const end = () => {
    clearTimeout(late);
    response.end();
  };
  const late = setTimeout(end, lingerMs);
  request.once("end", end).once("close", end);
}

function fromCore(thrown: unknown): IngestRefusal | undefined {
  if (!(thrown instanceof ServiceError)) return undefined;
  const { ingestion: isForSdks, httpStatus } = answerTo(thrown.reason);
  if (!isForSdks) return undefined;
  const status = httpStatus as RefusalStatus; // test/unit/reasons.test.ts compares the types
  if (thrown instanceof QuotaRefusal) {
    const { message, outcome, retryAfterSeconds } = thrown;
    return new IngestRefusal(status, message, [], { category: "error", outcome, retryAfterSeconds });
  }
  const notes = thrown instanceof ClientKeyRefusal ? { outcome: thrown.outcome, keyId: thrown.keyId } : {};
  return new IngestRefusal(status, thrown.message, [], notes);
}
