import { millisecondsOf, timestamp } from "@faultline/plugin";
import type { GetErrorStatsResponse } from "@faultline/proto";
import type { Case } from "../case.ts";
import { hour } from "../data.ts";
import { type Project, seen } from "../world.ts";

type Request = Omit<Parameters<Project["stats"]>[0], "errorId">;

const hourMs = 3_600_000;

/** The hours with events, by their distance to the running one, and the bounds. */
function shown({ startTime, counts, lastHourRunning }: GetErrorStatsResponse) {
  const first = startTime ? (millisecondsOf(startTime) - hour) / hourMs : undefined;
  const events = Object.fromEntries(counts.flatMap((count, at) => (count > 0 ? [[at + (first ?? 0), count]] : [])));
  return { first, hours: counts.length, lastHourRunning, events };
}

const asked = (name: string, request: Request, answer: unknown): Case => ({
  name: `the graph of ${name}`,
  answer,
  observe: async (project) => seen(project.stats({ errorId: await project.id("CheckoutFailed"), ...request }), shown),
});

const at = (hours: number) => timestamp(hour + hours * hourMs);

export const statsCases: readonly Case[] = [
  asked("a day", {}, { first: -23, hours: 24, lastHourRunning: true, events: { "-4": 1, "-3": 1, "-2": 1, "-1": 1 } }),
  asked(
    "two days",
    { hourCount: 48 },
    { first: -47, hours: 48, lastHourRunning: true, events: { "-30": 1, "-4": 1, "-3": 1, "-2": 1, "-1": 1 } },
  ),
  asked(
    "hours of the past",
    { startTime: at(-31), hourCount: 3 },
    { first: -31, hours: 3, lastHourRunning: false, events: { "-30": 1 } },
  ),
  asked(
    "a start within an hour",
    { startTime: at(-1.5), hourCount: 2 },
    { first: -2, hours: 2, lastHourRunning: false, events: { "-2": 1, "-1": 1 } },
  ),
  asked(
    "hours that end with the running one",
    { startTime: at(-1), hourCount: 2 },
    { first: -1, hours: 2, lastHourRunning: true, events: { "-1": 1 } },
  ),
  asked(
    "hours before it was there",
    { startTime: at(-500), hourCount: 2 },
    { first: -500, hours: 2, lastHourRunning: false, events: {} },
  ),
  asked(
    "90 days",
    { hourCount: 2160 },
    { first: -2159, hours: 2160, lastHourRunning: true, events: { "-30": 1, "-4": 1, "-3": 1, "-2": 1, "-1": 1 } },
  ),
  asked("more than 90 days", { hourCount: 2161 }, "INVALID_FIELD of hour_count"),
  {
    name: "the graph of an error that there is not",
    answer: "ERROR_NOT_FOUND",
    observe: (project) => seen(project.stats({ errorId: "999999" }), shown),
  },
  {
    name: "the graph of an error of another project",
    answer: "ERROR_NOT_FOUND",
    observe: (project) => seen(project.stats({ errorId: project.world.other.errorId }), shown),
  },
  {
    name: "the graph of an id with NUL",
    answer: "INVALID_FIELD of error_id",
    observe: (project) => seen(project.stats({ errorId: "\0" }), shown),
  },
];
