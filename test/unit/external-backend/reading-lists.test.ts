import type { JsonObject, JsonValue } from "@faultline/sentry-event";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import {
  readCursors,
  readHits,
  readHourlyStats,
  readProjects,
  readScopes,
} from "../../../plugins/external-backend/src/reading/index.ts";
import { daySeries, project, runningHour } from "../../support/external/sentry-answers.ts";

const lists = suite("projects, pages and what a system reports of itself");

lists("a project is read with its organization", () => {
  assert.equal(readProjects([project()]), [
    {
      id: "7",
      slug: "web",
      name: "Web",
      organizationSlug: "acme",
      organizationName: "Acme",
      status: "active",
      organizationId: "2",
    },
  ]);
});

const organization: JsonObject = { id: "2", slug: "acme", name: "Acme" };

const dropped: [name: string, project: JsonValue, message: RegExp][] = [
  ["null", null, /missing keys\. It should be an object\.$/],
  ["without id", project({ id: null }), /not found: id\.$/],
  ["with an id that is text", project({ id: "x7" }), /invalid value for field "id": it is not numeric$/],
  ["without name", project({ name: null }), /not found: name\.$/],
  ["with a name that is a number", project({ name: 7 }), /not found: name\.$/],
  ["without slug", project({ slug: null }), /not found: slug\.$/],
  ["with a slug that leads elsewhere", project({ slug: "../other" }), /not found: slug\.$/],
  ["with the slug ..", project({ slug: ".." }), /not found: slug\.$/],
  ["with a slug of markup", project({ slug: "<b>" }), /not found: slug\.$/],
  ["without organization", project({ organization: null }), /: organization\.slug, organization\.name\.$/],
  ["with an organization that is a list", project({ organization: [organization] }), /organization\.slug/],
  ["without organization name", project({ organization: { ...organization, name: null } }), /: organization\.name\.$/],
  [
    "with an organization of another place",
    project({ organization: { ...organization, slug: "a/b" } }),
    /zation\.slug/,
  ],
  ["with an organization id that is text", project({ organization: { ...organization, id: "x" } }), /not numeric$/],
];

for (const [name, sent, message] of dropped) {
  lists(`a project ${name} is left out, and refused when it is alone`, () => {
    assert.equal(readProjects([sent, project()]).length, 1);
    assert.throws(() => readProjects([sent]), message);
  });
}

lists("Faultline's own slugs are slugs", () => {
  const [own] = readProjects([project({ slug: "team~web.2", organization: { id: "1", slug: "-", name: "-" } })]);
  assert.equal([own?.slug, own?.organizationSlug], ["team~web.2", "-"]);
});

lists("of 1,000 projects 100 are read", () => {
  assert.is(readProjects(Array.from({ length: 1000 }, (_, id) => project({ id: String(id) }))).length, 100);
});

lists("what is no list is refused", () => {
  for (const json of [null, 1, "<html>", {}, { detail: "no" }]) {
    assert.throws(() => readProjects(json), /^Sentry API response is missing keys\. It should be a list\.$/);
  }
});

const link = (rel: string, results: string, cursor: string) =>
  `<https://sentry.example.com/api/0/projects/acme/web/issues/?query=is%3Aunresolved&cursor=${cursor}>; ` +
  `rel="${rel}"; results="${results}"; cursor="${cursor}"`;

const none = { next: undefined, previous: undefined };

const headers: [name: string, header: string | undefined, cursors: ReturnType<typeof readCursors>][] = [
  ["none", undefined, none],
  ["an empty one", "", none],
  [
    "the first page",
    `${link("previous", "false", "0:0:1")}, ${link("next", "true", "0:20:0")}`,
    { ...none, next: "0:20:0" },
  ],
  [
    "a page between",
    `${link("previous", "true", "0:0:1")}, ${link("next", "true", "1600000000000:20:0")}`,
    { next: "1600000000000:20:0", previous: "0:0:1" },
  ],
  [
    "the last page",
    `${link("previous", "true", "0:20:1")}, ${link("next", "false", "0:40:0")}`,
    { ...none, previous: "0:20:1" },
  ],
  ["without spaces", link("next", "true", "0:20:0").replaceAll("; ", ";"), { ...none, next: "0:20:0" }],
  [
    "a comma in the address",
    link("next", "true", "0:20:0").replace("query=", "query=a,b,"),
    { ...none, next: "0:20:0" },
  ],
  ["other parameters", '<x>; rel="next"; title="t"; results="true"; cursor="0:20:0"', { ...none, next: "0:20:0" }],
  ["results not given", '<x>; rel="next"; cursor="0:20:0"', none],
  ["results in capitals", '<x>; rel="next"; results="TRUE"; cursor="0:20:0"', none],
  ["no cursor", '<http://169.254.169.254/>; rel="next"; results="true"', none],
  ["only an address", "<http://169.254.169.254/>; rel=next", none],
  ["a cursor that is an address", '<x>; rel="next"; results="true"; cursor="http://169.254.169.254/"', none],
  ["a cursor with another parameter", '<x>; rel="next"; results="true"; cursor="0:20:0&query=x"', none],
  ["a cursor that goes up", '<x>; rel="next"; results="true"; cursor="../../"', none],
  ["a negative cursor", '<x>; rel="next"; results="true"; cursor="0:-20:0"', none],
  ["a line break in the cursor", '<x>; rel="next"; results="true"; cursor="0:20:0\n"', none],
  ["an empty cursor", '<x>; rel="next"; results="true"; cursor=""', none],
  ["a cursor of 65 characters", `<x>; rel="next"; results="true"; cursor="${"1".repeat(65)}"`, none],
  [
    "a cursor of 64 characters",
    `<x>; rel="next"; results="true"; cursor="${"1".repeat(64)}"`,
    { ...none, next: "1".repeat(64) },
  ],
  [
    "two of a kind",
    `${link("next", "true", "0:20:0")}, ${link("next", "true", "0:40:0")}`,
    { ...none, next: "0:20:0" },
  ],
  ["100 links", Array.from({ length: 100 }, (_, at) => link("other", "true", `0:${at}:0`)).join(", "), none],
  [
    "a name of every object",
    '<x>; rel="__proto__"; results="true"; cursor="0:1:0", <x>; rel="constructor"; results="true"; cursor="0:1:0"',
    none,
  ],
  [
    "parameters of every object",
    '<x>; __proto__="next"; constructor="x"; rel="next"; results="true"; cursor="0:1:0"',
    none,
  ],
  ["no end of a quote", '<x>; rel="next', none],
  ["no end of an address", `<x${"<".repeat(5000)}`, none],
  ["no end of anything", '<>;a="'.repeat(20_000), none],
  ["a megabyte", " ".repeat(1_000_000) + link("next", "true", "0:20:0"), none],
];

for (const [name, header, cursors] of headers) {
  lists(`cursors of ${name}`, () => assert.equal(readCursors(header), cursors));
}

const hits = [
  ["17", 17],
  ["0", 0],
  [" 17 ", 17],
  ["999999999", 999_999_999],
  ["9999999999", undefined],
  ["-1", undefined],
  ["1e3", undefined],
  ["1, 2", undefined],
  ["<b>", undefined],
  ["", undefined],
] as const;

for (const [header, expected] of hits) {
  lists(`X-Hits ${JSON.stringify(header)} is ${expected}`, () => assert.is(readHits({ "x-hits": header }), expected));
}

lists("hits may be missing", () => assert.is(readHits({}), undefined));

const scopes: [name: string, json: JsonValue, expected: readonly string[] | undefined][] = [
  [
    "of a token",
    { version: "0", auth: { scopes: ["event:read", "org:read"] }, user: null },
    ["event:read", "org:read"],
  ],
  ["of no token", { version: "0", auth: null, user: null }, undefined],
  ["of none", { auth: { scopes: [] } }, []],
  ["that are no texts", { auth: { scopes: [1, null, {}, "event:read", "<b>", "x".repeat(99)] } }, ["event:read"]],
  ["that are no list", { auth: { scopes: "event:read" } }, undefined],
  ["of a list", [{ auth: { scopes: ["event:read"] } }], undefined],
  ["of a text", "<html>", undefined],
];

for (const [name, json, expected] of scopes) {
  lists(`scopes ${name}`, () => assert.equal(readScopes(json), expected));
}

lists("of 1,000 scopes 100 are read", () => {
  assert.is(readScopes({ auth: { scopes: Array.from({ length: 1000 }, () => "event:read") } })?.length, 100);
});

const windows: [name: string, json: JsonValue, window: { firstHour: number; hours: number }, counts: number[]][] = [
  ["three hours of a day", daySeries({ 0: 5, 2: 7, 3: 9 }), { firstHour: runningHour - 2, hours: 3 }, [7, 0, 5]],
  ["hours before it", daySeries({ 0: 5 }), { firstHour: runningHour - 50, hours: 2 }, [0, 0]],
  ["hours after it", daySeries({ 0: 5 }), { firstHour: runningHour, hours: 2 }, [5, 0]],
  ["no hours", daySeries({ 0: 5 }), { firstHour: runningHour, hours: 0 }, []],
  [
    "two of one hour",
    [
      [runningHour * 3600, 2],
      [runningHour * 3600 + 1800, 3],
    ],
    { firstHour: runningHour, hours: 1 },
    [5],
  ],
  [
    "more than 32 bits",
    [
      [runningHour * 3600, 2 ** 32],
      [runningHour * 3600, 7],
    ],
    { firstHour: runningHour, hours: 1 },
    [2 ** 32 - 1],
  ],
  ["no list", { "24h": [] }, { firstHour: runningHour, hours: 2 }, [0, 0]],
  ["null", null, { firstHour: runningHour, hours: 1 }, [0]],
];

for (const [name, json, window, counts] of windows) {
  lists(`a window over ${name} is dense`, () => assert.equal(readHourlyStats(json, window), counts));
}

lists.run();
