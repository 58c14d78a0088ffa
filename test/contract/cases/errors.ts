import { toJson } from "@bufbuild/protobuf";
import { ErrorSchema, type Error as TrackedError } from "@faultline/proto";
import type { Case } from "../case.ts";
import { seen } from "../world.ts";

/**
 * The shown fields of an error, without the fields that identify it in one world. Of its page elsewhere, only whether
 * it exists.
 */
export function shown(error: TrackedError | undefined): unknown {
  if (!error) return "nothing";
  const { errorId: _, projectId: __, shortId, externalUrl, ...rest } = toJson(ErrorSchema, error);
  if (!shortId) return "an error without a short id";
  return { ...rest, ...(externalUrl && { externalUrl: "a page" }) };
}

const checkout = {
  title: "CheckoutFailed: the cart is broken",
  type: "CheckoutFailed",
  value: "the cart is broken",
  culprit: "POST /checkout",
  level: "error",
  platform: "node",
  status: "ERROR_STATUS_UNRESOLVED",
  eventCount: 5,
  affectedUserCount: 3,
  firstSeenTime: "2026-01-09T06:00:00Z",
  lastSeenTime: "2026-01-10T11:55:00Z",
  settledLastSeenTime: "2026-01-10T11:55:00Z",
};
const releases = { firstRelease: "shop@1", lastRelease: "shop@2" };
const page = { externalUrl: "a page" };
const asksElsewhere = "the error has a page in the external system";

const timeout = {
  title: "Timeout: no answer of the bank",
  type: "Timeout",
  value: "no answer of the bank",
  culprit: "pay(app/bank.js)",
  level: "warning",
  platform: "node",
  status: "ERROR_STATUS_UNRESOLVED",
  eventCount: 3,
  firstSeenTime: "2026-01-10T07:00:00Z",
  lastSeenTime: "2026-01-10T12:10:00Z",
  settledLastSeenTime: "2026-01-10T10:59:00Z",
};
const settledHour = { settledLastSeenTime: "2026-01-10T10:00:00Z" };
const reportsHours = "and of earlier events the API reports the hour alone";

const message = {
  title: "Payment refused",
  value: "Payment refused",
  level: "info",
  platform: "node",
  status: "ERROR_STATUS_UNRESOLVED",
  eventCount: 1,
  firstSeenTime: "2026-01-10T05:20:00Z",
  lastSeenTime: "2026-01-10T05:20:00Z",
  settledLastSeenTime: "2026-01-10T05:20:00Z",
};

/** One event in each of four hours. The last hour has ended. */
const trend = {
  hourlyCounts: [...Array.from({ length: 19 }, () => 0), 1, 1, 1, 1, 0],
  hourlyCountsStartTime: "2026-01-09T13:00:00Z",
};

const reportsNoChanges = "the API does not report when the status changed";

function changes(error: TrackedError | undefined): unknown {
  if (!error) return "nothing";
  const { statusChangedTime, reopenedTime } = toJson(ErrorSchema, error);
  return { ...(statusChangedTime && { statusChangedTime }), ...(reopenedTime && { reopenedTime }) };
}

const notFound = (name: string, errorId: string, answer = "ERROR_NOT_FOUND"): Case => ({
  name: `${name} is not found`,
  answer,
  observe: (project) => seen(project.get(errorId), ({ error }) => shown(error)),
});

export const errorCases: readonly Case[] = [
  {
    name: "an error by itself",
    answer: { ...checkout, ...releases },
    observe: async (project) => shown((await project.get(await project.id("CheckoutFailed"))).error),
    differs: {
      faultline: { because: asksElsewhere, answer: { ...checkout, ...releases, ...page } },
      sentry: { because: asksElsewhere, answer: { ...checkout, ...releases, ...page } },
    },
  },
  {
    name: "an error in a list, with its trend",
    answer: { ...checkout, ...releases, ...trend },
    observe: async (project) => shown((await project.list({ query: "CheckoutFailed" })).errors[0]),
    differs: {
      faultline: { because: asksElsewhere, answer: { ...checkout, ...releases, ...trend, ...page } },
      sentry: {
        because: `${asksElsewhere}, and a list there does not name releases`,
        answer: { ...checkout, ...trend, ...page },
      },
    },
  },
  {
    name: "an error that was seen in the running hour",
    answer: timeout,
    observe: async (project) => shown((await project.get(await project.id("Timeout"))).error),
    differs: {
      faultline: { because: asksElsewhere, answer: { ...timeout, ...page } },
      sentry: { because: `${asksElsewhere}, ${reportsHours}`, answer: { ...timeout, ...settledHour, ...page } },
    },
  },
  {
    name: "an error that is a message",
    answer: message,
    observe: async (project) => shown((await project.get(await project.id("Payment"))).error),
    differs: {
      faultline: { because: asksElsewhere, answer: { ...message, ...page } },
      sentry: { because: asksElsewhere, answer: { ...message, ...page } },
    },
  },
  {
    name: "when an error came back",
    answer: { statusChangedTime: "2026-01-10T12:30:00Z", reopenedTime: "2026-01-10T12:30:00Z" },
    observe: async (project) => changes((await project.get(await project.id("KeyMissing"))).error),
    differs: {
      faultline: { because: reportsNoChanges, answer: { reopenedTime: "2026-01-10T12:30:00Z" } },
      sentry: {
        because: "the API reports that it came back, but not when, so its newest event stands for it",
        answer: { reopenedTime: "2026-01-10T10:40:00Z" },
      },
    },
  },
  {
    name: "when an error was resolved",
    answer: { statusChangedTime: "2026-01-10T12:30:00Z" },
    observe: async (project) => changes((await project.get(await project.id("OldBug"))).error),
    differs: {
      faultline: { because: reportsNoChanges, answer: {} },
      sentry: { because: reportsNoChanges, answer: {} },
    },
  },
  {
    name: "an error of another project is not found",
    answer: "ERROR_NOT_FOUND",
    observe: (project) => seen(project.get(project.world.other.errorId), ({ error }) => shown(error)),
  },
  notFound("an error that there is not", "999999"),
  notFound("an id of text", "x"),
  notFound("an empty id", ""),
  notFound("an id with NUL", "1\0", "INVALID_FIELD of error_id"),
  notFound("a negative id", "-1"),
  notFound("an id with a sign", "+1"),
  notFound("an id of other digits", "١"),
  notFound("an id that leads elsewhere", "1/../2"),
  notFound("an id of 21 digits", "9".repeat(21)),
  notFound("an id of 20 digits", "9".repeat(20)),
  notFound("the id 0", "0"),
];
