import { type Outbound, type OutboundAnswer, OutboundFailure, parseForeignJson, retryAfter } from "@faultline/plugin";
import { ErrorReason as Reason } from "@faultline/proto";
import { cleanLine } from "@faultline/plugin/text";
import { TrackerFailure } from "./tracker-failure.ts";
import type { OpenTracker, TrackerFields, TrackerKind, TrackerRequest } from "./tracker-kind.ts";

const timeoutMs = 15_000;
/** Enough for a page of 100 issues with their texts. */
const maxAnswerBytes = 8 * 1024 * 1024;
const shownWords = 300;
const longestWaitMs = 3_600_000;

/** Opens a tracker from its kind and settings. */
export const openTracker = (
  { outbound, clock }: { outbound: Outbound; clock: { now(): number } },
  kind: TrackerKind,
  fields: TrackerFields,
): OpenTracker => ({
  fields,
  async send(request) {
    const answer = await answerTo(outbound, request, { kind, fields });
    const failure = failureOf(answer, { kind, fields, now: clock.now() });
    if (failure) throw failure;
    if (answer.body.length === 0) return null;
    try {
      return parseForeignJson(answer.body);
    } catch {
      throw new TrackerFailure(
        Reason.TRACKER_UNUSABLE,
        `${kind.name} did not answer in JSON, or its answer is too large. Check the address.`,
        {
          isUnknown: true,
        },
      );
    }
  },
});

interface Called {
  readonly kind: TrackerKind;
  readonly fields: TrackerFields;
}

async function answerTo(outbound: Outbound, { method, url, body }: TrackerRequest, { kind, fields }: Called) {
  const json = body === undefined ? {} : { "content-type": "application/json" };
  const headers = { accept: "application/json", "user-agent": "Faultline", ...json, ...kind.headers(fields) };
  try {
    const more = body === undefined ? {} : { body: JSON.stringify(body) };
    return await outbound.request({ method, url, headers, ...more, maxBytes: maxAnswerBytes, timeoutMs });
  } catch (error) {
    throw error instanceof OutboundFailure ? unanswered(error, kind.name) : error;
  }
}

/** The failure of a request that got no answer; it may have arrived. */
function unanswered({ fault }: OutboundFailure, name: string): TrackerFailure {
  switch (fault) {
    case "address":
      return new TrackerFailure(
        Reason.TRACKER_UNUSABLE,
        `The address of ${name} was not found, or connections to it are blocked.`,
      );
    case "refused":
    case "connect_timeout":
      return new TrackerFailure(Reason.TRACKER_UNREACHABLE, `${name} could not be reached. Try again later.`, {
        isPassing: true,
      });
    case "tls":
      return new TrackerFailure(Reason.TRACKER_UNREACHABLE, `The certificate of ${name} is not valid.`, {
        isPassing: true,
      });
    case "read_timeout":
    case "socket":
    case "protocol":
    case "too_big":
    case "aborted":
      return new TrackerFailure(Reason.TRACKER_UNREACHABLE, `${name} did not answer.`, { isUnknown: true });
  }
}

/** The failure that a status means; undefined if the request succeeded. */
function failureOf(answer: OutboundAnswer, called: Called & { readonly now: number }): TrackerFailure | undefined {
  const { status } = answer;
  const { name } = called.kind;
  if (status >= 200 && status < 300) return undefined;
  if (status === 429 || isLimited(answer)) {
    const retryAfterMs = waitOf(answer, called.now);
    const words = `${name} accepts no more requests for now.`;
    return new TrackerFailure(Reason.TRACKER_RATE_LIMITED, words, { isPassing: true, retryAfterMs });
  }
  if (status >= 500) {
    const words = `${name} failed with HTTP status ${status}.`;
    return new TrackerFailure(Reason.TRACKER_UNREACHABLE, words, { isUnknown: true, ...retryOf(answer) });
  }
  if (status === 401) {
    return new TrackerFailure(Reason.TRACKER_UNUSABLE, `${name} refuses the token. Enter a valid one.`);
  }
  return new TrackerFailure(
    status === 403 ? Reason.TRACKER_UNUSABLE : Reason.TRACKER_REFUSED,
    refusalWords(answer, called),
  );
}

function refusalWords(answer: OutboundAnswer, called: Called): string {
  const { name } = called.kind;
  switch (answer.status) {
    case 403:
      return `The token cannot do this in ${name}. Give it permission to write issues.`;
    case 404:
      return `${name} has no such project or issue, or the token cannot see it.`;
    case 410:
      return `Issues are turned off in this project of ${name}.`;
    case 400:
    case 422:
      return `${name} did not accept it.${wordsOf(answer, called)}`;
    default:
      return answer.status < 400
        ? `The address of ${name} answered with a redirect. Enter the address of the redirect.`
        : `${name} refused it with HTTP status ${answer.status}.`;
  }
}

/**
 * A tracker's own words about a refused field, without our secrets. Answers from a private network are not shown to
 * everybody.
 */
function wordsOf({ body, isPublic }: OutboundAnswer, { kind, fields }: Called): string {
  if (!isPublic) return "";
  const credentials = Object.values(kind.headers(fields)).flatMap((value) => value.split(" ").slice(1)); // not `Basic`
  const secrets = [
    ...credentials,
    ...kind.fields.flatMap(({ key, isSecret }) => (isSecret ? (fields[key] ?? "") : "")),
  ];
  const words = secrets
    .filter((secret) => secret.length >= 6)
    .reduce((text, secret) => text.replaceAll(secret, "[Filtered]"), body.toString("utf8", 0, 4_000));
  return ` It answered: ${cleanLine(words, shownWords)}`;
}

/** GitHub answers 403 to too many requests. */
const isLimited = ({ status, headers }: OutboundAnswer) =>
  status === 403 && (headers["x-ratelimit-remaining"] === "0" || headers["retry-after"] !== undefined);

const retryOf = ({ headers }: OutboundAnswer) => {
  const { afterMs } = retryAfter(headers["retry-after"]);
  return afterMs === undefined ? {} : { retryAfterMs: afterMs };
};

/** Retry-After, otherwise the time at which GitHub's limit resets, otherwise a minute. */
function waitOf(answer: OutboundAnswer, now: number): number {
  const named = retryOf(answer).retryAfterMs;
  if (named !== undefined) return named;
  const reset = Number(answer.headers["x-ratelimit-reset"]) * 1000 - now;
  return answer.headers["x-ratelimit-remaining"] === "0" && reset > 0 ? Math.min(reset, longestWaitMs) : 60_000;
}
