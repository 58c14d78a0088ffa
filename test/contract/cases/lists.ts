import { ErrorSort, ErrorStatus, type ListErrorsResponse } from "@faultline/proto";
import type { Case } from "../case.ts";
import { type Project, seen } from "../world.ts";

const { UNSPECIFIED, UNRESOLVED, RESOLVED, IGNORED } = ErrorStatus;

type Request = Parameters<Project["list"]>[0];

/** The first words of titles. */
const titlesOf = ({ errors }: ListErrorsResponse) => errors.map(({ title }) => title.split(/[: ]/)[0]);

const listed = (name: string, request: Request, answer: unknown): Case => ({
  name,
  answer,
  observe: (project) => seen(project.list({ status: UNRESOLVED, ...request }), titlesOf),
});

/** Walks through all pages and back again. */
async function walk(project: Project, request: Request): Promise<unknown> {
  const forth: unknown[] = [];
  const back: unknown[] = [];
  let page = await project.list(request);
  for (let pages = 0; pages < 10; pages++) {
    forth.push(titlesOf(page));
    if (page.nextPageToken === "") break;
    page = await project.list({ ...request, pageToken: page.nextPageToken });
  }
  for (let pages = 0; pages < 10 && page.previousPageToken !== ""; pages++) {
    page = await project.list({ ...request, pageToken: page.previousPageToken });
    back.push(titlesOf(page));
  }
  return { forth, back };
}

/** The token of a list's second page, sent with another list. */
const foreignToken = (name: string, request: Request): Case => ({
  name: `a page token of ${name} is refused`,
  answer: "INVALID_PAGE_TOKEN of page_token",
  async observe(project) {
    const { nextPageToken } = await project.list({ status: UNRESOLVED, pageSize: 2, ...request });
    if (nextPageToken === "") return "there is no second page";
    return seen(project.list({ status: UNRESOLVED, pageSize: 2, pageToken: nextPageToken }), titlesOf);
  },
});

const brokenToken = (pageToken: string, answer = "INVALID_PAGE_TOKEN of page_token"): Case => ({
  name: `the page token ${JSON.stringify(pageToken)} is refused`,
  answer,
  observe: (project) => seen(project.list({ pageToken }), titlesOf),
});

export const listCases: readonly Case[] = [
  listed("unresolved errors, the last seen first", {}, [
    "FreshOne",
    "Timeout",
    "CheckoutFailed",
    "KeyMissing",
    "Payment",
  ]),
  listed("resolved errors", { status: RESOLVED }, ["OldBug"]),
  listed("ignored errors", { status: IGNORED }, ["Noise"]),
  listed("errors of every status", { status: UNSPECIFIED }, [
    "FreshOne",
    "Timeout",
    "CheckoutFailed",
    "KeyMissing",
    "Payment",
    "Noise",
    "OldBug",
  ]),
  listed("errors of a status that there is not", { status: 9 as ErrorStatus }, []),
  listed("by last seen", { sort: ErrorSort.LAST_SEEN }, [
    "FreshOne",
    "Timeout",
    "CheckoutFailed",
    "KeyMissing",
    "Payment",
  ]),
  listed("by first seen", { sort: ErrorSort.FIRST_SEEN }, [
    "FreshOne",
    "KeyMissing",
    "Timeout",
    "Payment",
    "CheckoutFailed",
  ]),
  listed("by number of events", { sort: ErrorSort.EVENT_COUNT }, [
    "CheckoutFailed",
    "Timeout",
    "KeyMissing",
    "FreshOne",
    "Payment",
  ]),
  listed("by a sort that there is not", { sort: 9 as ErrorSort }, [
    "FreshOne",
    "Timeout",
    "CheckoutFailed",
    "KeyMissing",
    "Payment",
  ]),
  listed("a word of the value", { query: "cart" }, ["CheckoutFailed"]),
  listed("a word in any case", { query: "BANK" }, ["Timeout"]),
  listed("a word of the culprit", { query: "total.js" }, ["KeyMissing"]),
  listed("two words", { query: "the broken" }, ["CheckoutFailed"]),
  listed("two words, of which one is nowhere", { query: "the whole" }, []),
  listed("words in quotes", { query: '"cart is"' }, ["CheckoutFailed"]),
  listed("a level", { query: "level:fatal" }, ["KeyMissing"]),
  listed("a release", { query: "release:shop@2" }, ["CheckoutFailed"]),
  listed("an environment", { query: "environment:staging" }, ["KeyMissing"]),
  listed("a type", { query: "error.type:Timeout" }, ["Timeout"]),
  listed("a tag", { query: "region:eu" }, ["CheckoutFailed"]),
  listed("a tag and a word", { query: "region:us total" }, ["KeyMissing"]),
  listed("a search among resolved errors", { query: "gone", status: RESOLVED }, ["OldBug"]),
  listed("a search that finds nothing", { query: "nowhere" }, []),
  listed("a search of spaces", { query: "   " }, ["FreshOne", "Timeout", "CheckoutFailed", "KeyMissing", "Payment"]),
  listed("a search of 501 characters", { query: "x".repeat(501) }, "INVALID_FIELD of query"),
  listed("a search with NUL", { query: "ca\0rt" }, "INVALID_FIELD of query"),
  listed("a page of more than 100", { pageSize: 1000 }, [
    "FreshOne",
    "Timeout",
    "CheckoutFailed",
    "KeyMissing",
    "Payment",
  ]),
  {
    name: "numbers of errors by status",
    answer: { unresolved: 5, resolved: 1, ignored: 1 },
    observe: async (project) => counts(await project.list({ status: UNRESOLVED })),
  },
  {
    name: "numbers of errors that a search finds, by status",
    answer: { unresolved: 0, resolved: 0, ignored: 1 },
    observe: async (project) => counts(await project.list({ status: UNRESOLVED, query: "extension" })),
  },
  {
    name: "pages of two, and back",
    answer: {
      forth: [["FreshOne", "Timeout"], ["CheckoutFailed", "KeyMissing"], ["Payment"]],
      back: [
        ["CheckoutFailed", "KeyMissing"],
        ["FreshOne", "Timeout"],
      ],
    },
    observe: (project) => walk(project, { status: UNRESOLVED, pageSize: 2 }),
  },
  {
    name: "pages of three by number of events, and back",
    answer: {
      forth: [
        ["CheckoutFailed", "Timeout", "KeyMissing"],
        ["FreshOne", "Payment"],
      ],
      back: [["CheckoutFailed", "Timeout", "KeyMissing"]],
    },
    observe: (project) => walk(project, { status: UNRESOLVED, pageSize: 3, sort: ErrorSort.EVENT_COUNT }),
  },
  {
    name: "one page that is exactly full",
    answer: { forth: [["FreshOne", "Timeout", "CheckoutFailed", "KeyMissing", "Payment"]], back: [] },
    observe: (project) => walk(project, { status: UNRESOLVED, pageSize: 5 }),
  },
  foreignToken("another sort", { sort: ErrorSort.EVENT_COUNT }),
  foreignToken("another status", { status: UNSPECIFIED }),
  foreignToken("another search", { query: "a" }),
  {
    name: "a page token of another project is refused",
    answer: "INVALID_PAGE_TOKEN of page_token",
    async observe(project) {
      const { client, other } = project.world;
      const { nextPageToken } = await project.list({ pageSize: 1 });
      const asked = client.errors.listErrors(
        { projectId: other.projectId, pageSize: 1, pageToken: nextPageToken },
        client.auth,
      );
      return seen(asked, titlesOf);
    },
  },
  {
    name: "a page token of a list of events is refused",
    answer: "INVALID_PAGE_TOKEN of page_token",
    async observe(project) {
      const { nextPageToken } = await project.events({ errorId: await project.id("CheckoutFailed"), pageSize: 1 });
      return seen(project.list({ pageToken: nextPageToken }), titlesOf);
    },
  },
  brokenToken("x"),
  brokenToken("\0", "INVALID_FIELD of page_token"),
  brokenToken("W10"),
  brokenToken("../../"),
  {
    name: "errors of a project that there is not",
    answer: "PROJECT_NOT_FOUND",
    observe: ({ world: { client } }) =>
      seen(client.errors.listErrors({ projectId: 4_000_000_000 }, client.auth), titlesOf),
  },
];

function counts({ statusCounts }: ListErrorsResponse) {
  if (!statusCounts) return "not reported";
  const { unresolved, resolved, ignored } = statusCounts;
  return { unresolved, resolved, ignored };
}
