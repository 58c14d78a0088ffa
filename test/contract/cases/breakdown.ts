import { millisecondsOf } from "@faultline/plugin";
import type { GetErrorBreakdownResponse } from "@faultline/proto";
import type { Case } from "../case.ts";
import { hour } from "../data.ts";
import { seen } from "../world.ts";

const minutes = (time: Parameters<typeof millisecondsOf>[0] | undefined) =>
  time && Math.round((millisecondsOf(time) - hour) / 60_000);

function shown({ examinedEventCount, eventCount, users, userCount, ...answer }: GetErrorBreakdownResponse) {
  const keys = ["environment", "level", "region", "server_name"];
  return {
    events: [examinedEventCount, eventCount],
    users: users.map((one) => [one.user, one.names?.email, one.eventCount, minutes(one.lastSeenTime)]),
    userCount,
    releases: answer.releases.map((one) => [one.version, one.eventCount, minutes(one.firstSeenTime)]),
    releaseCount: answer.releaseCount,
    tags: Object.fromEntries(
      keys.flatMap((name) => {
        const tag = answer.tags.find(({ key }) => key === name);
        return tag
          ? [[name, tag.values.map(({ value, eventCount: count }) => `${value} ${count}/${tag.eventCount}`)]]
          : [];
      }),
    ),
  };
}

export const breakdownCases: readonly Case[] = [
  {
    name: "the breakdown of an error by user, release and tag",
    observe: async (project) => seen(project.breakdown(await project.id("CheckoutFailed")), shown),
    answer: {
      events: [5, 5],
      users: [
        ["id:u1", "ann@example.com", 3, -5],
        ["id:u3", "", 1, -65],
        ["id:u2", "", 1, -190],
      ],
      userCount: 3,
      releases: [
        ["shop@2", 2, -65],
        ["shop@1", 3, -1800],
      ],
      releaseCount: 2,
      tags: {
        environment: ["production 5/5"],
        level: ["error 5/5"],
        region: ["eu 5/5"],
        server_name: ["web-1 1/1"],
      },
    },
  },
  {
    name: "the breakdown of an error whose events name no user and no release",
    observe: async (project) => seen(project.breakdown(await project.id("Timeout")), shown),
    answer: {
      events: [3, 3],
      users: [],
      userCount: 0,
      releases: [],
      releaseCount: 0,
      tags: { level: ["warning 3/3"] },
    },
  },
  {
    name: "the newest event of each user of an error",
    observe: async (project) =>
      seen(project.breakdown(await project.id("CheckoutFailed")), ({ users }) =>
        users.map(({ newestEventId }) => newestEventId.slice(-1)),
      ),
    answer: ["5", "4", "2"],
    differs: {
      sentry: { because: "Sentry's API does not name it", answer: ["", "", ""] },
    },
  },
  {
    name: "the breakdown of an error that there is not",
    answer: "ERROR_NOT_FOUND",
    observe: (project) => seen(project.breakdown("999999"), shown),
  },
  {
    name: "the breakdown of an error of another project",
    answer: "ERROR_NOT_FOUND",
    observe: (project) => seen(project.breakdown(project.world.other.errorId), shown),
  },
  {
    name: "the events of an error with the names of their users",
    observe: async (project) =>
      seen(project.events({ errorId: await project.id("CheckoutFailed"), userNames: true }), ({ events }) =>
        events.map(({ user, names }) => [user, names?.email]),
      ),
    answer: [
      ["id:u1", "ann@example.com"],
      ["id:u3", ""],
      ["id:u1", ""],
      ["id:u2", ""],
      ["id:u1", ""],
    ],
  },
];
