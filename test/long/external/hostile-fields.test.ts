import { ErrorReason, ErrorStatus, EventPosition } from "@faultline/proto";
import { CallError } from "@faultline/proto/grpc";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { fakeExternal, type ChangedAnswer, type FakeAnswer } from "../../support/external/fake-external.ts";
import { wireIssue } from "../../support/external/played-sentry/wire.ts";
import { doors, endings, endsIn, hostileExternal, secretText } from "../../support/external/hostile-external.ts";
import type { LinkedProject } from "../../support/core/linked-project.ts";
import { hourMs, movableClock, movableFaultline } from "../../support/service/movable-faultline.ts";
import { rejects } from "../../support/assert/rejects.ts";

/** JSON of the right shape with hostile things in its fields: bad items are dropped, and nothing is believed. */

type Wire = Record<string, unknown>;

const clock = movableClock();
const payload = {
  exception: {
    values: [
      {
        type: "TypeError",
        value: "boom",
        module: "app",
        mechanism: { type: "generic", handled: false, data: { a: 1 } },
        stacktrace: {
          frames: [
            {
              filename: "app.js",
              abs_path: "/srv/app.js",
              function: "run",
              module: "app",
              lineno: 3,
              colno: 7,
              in_app: true,
              pre_context: ["one", "two"],
              context_line: "three",
              post_context: ["four"],
              vars: { a: { b: [1] } },
            },
          ],
        },
      },
    ],
  },
  threads: {
    values: [{ id: 1, name: "main", crashed: true, stacktrace: { frames: [{ function: "run", lineno: 1 }] } }],
  },
  breadcrumbs: { values: [{ timestamp: 1_700_000_000, category: "http", message: "GET /", data: { url: "/" } }] },
  request: {
    url: "https://shop.example/",
    method: "GET",
    headers: { Host: "shop.example" },
    cookies: { a: "b" },
    data: { a: 1 },
  },
  user: { id: "7", email: "ann@example.com", plan: "free" },
  tags: { region: "eu" },
  contexts: { runtime: { name: "node", version: "26" } },
  extra: { cart: [1, 2] },
  sdk: { name: "sentry.javascript.node", version: "10.0.0" },
  release: "1.2.3",
  environment: "live",
};
const projects = Array.from({ length: 200 }, (_, index) => {
  const slug = `fields-${index + 1}`;
  return { id: `${index + 1}`, slug, name: slug, organization: "acme", status: "active" };
});
const { fake, link: linkTo } = await hostileExternal({
  clock,
  projects,
  issues: projects.map(({ id }) => ({ id: `${id}001`, project: id, events: [{ payload }] })),
});
const elsewhere = await fakeExternal();
const { client } = await movableFaultline(
  { outbound: { networks: ["127.0.0.0/8"], ports: [fake.port, elsewhere.port] } },
  clock,
);
test.after(async () => {
  await fake.close();
  await elsewhere.close();
});

/** A test after which the fakes have nothing to complain about. */
function hostile(name: string, body: () => Promise<void>): void {
  test(name, async () => {
    fake.answerAsUsual();
    await body();
    assert.equal(fake.complaints.splice(0), []);
    assert.is(elsewhere.connectionCount(), 0, "nothing was sent elsewhere");
  });
}

/** A new link. `errorId` is the only issue of its external project. */
async function link(): Promise<LinkedProject & { errorId: string; externalId: string }> {
  clock.at += hourMs;
  const project = await linkTo(client);
  const { settings } = await client.settings.getSettings({ projectId: project.projectId }, client.auth);
  const externalId = settings?.externalProject?.id ?? "";
  return { ...project, errorId: `${externalId}001`, externalId };
}

const change = (made: ChangedAnswer["change"]): FakeAnswer => ({ change: made });
const list = ({ projectId }: LinkedProject, pageToken = "") =>
  client.errors.listErrors({ projectId, status: ErrorStatus.UNRESOLVED, pageToken }, client.auth);
const event = ({ projectId, errorId }: LinkedProject & { errorId: string }) =>
  client.errors.getEvent({ projectId, errorId, position: EventPosition.NEWEST }, client.auth);
/** The content of an answer, as text. */
const textOf = (answer: unknown) =>
  JSON.stringify(answer, (_, part: unknown) => (typeof part === "bigint" ? `${part}` : part));

const issuesOnly = { on: /\/issues\/$/ };
const badIds: unknown[] = [
  "../../",
  "..",
  "../../../-/admin",
  "1/../2",
  "1?x=1",
  "1#x",
  "%2e%2e%2f",
  "1\n",
  " 1",
  "-1",
  "+1",
  "1.5",
  "1e3",
  "0x10",
  "1".repeat(21),
  "١٢",
  "１２",
  "<script>alert(1)</script>",
  "__proto__",
  "",
  null,
  true,
  -1,
  1.5,
  1e300,
  2 ** 53,
  [],
  ["1"],
  { toString: "1" },
];

hostile(
  "A23: an issue with an id that is not 1 to 20 digits is left out of the list, the others are shown",
  async () => {
    const project = await link();
    fake.answerWith(
      change(([good]: Wire[]) => [
        { ...good, id: "5" },
        ...badIds.map((id) => ({ ...good, id, title: secretText })),
        { ...good, id: "7" },
      ]),
      issuesOnly,
    );
    const answer = await list(project);
    assert.equal(
      answer.errors.map(({ errorId }) => errorId),
      ["5", "7"],
    );
    assert.not.match(textOf(answer), secretText);
  },
);

for (const id of ["../../", "-1", "1".repeat(21), 1.5]) {
  hostile(`A23: an issue that says that its id is ${JSON.stringify(id).slice(0, 24)} is refused`, async () => {
    const project = await link();
    fake.answerWith(
      change((issue: Wire) => ({ ...issue, id })),
      { on: /\/issues\/\d+\/$/ },
    );
    const { projectId, errorId } = project;
    await endsIn(
      client.errors.getError({ projectId, errorId }, client.auth),
      {
        reason: ErrorReason.EXTERNAL_ANSWER_INVALID,
        message: 'Sentry API response contains invalid value for field "id": it is not numeric',
      },
      "the error",
    );
  });
}

hostile("GitLab 365427: an id that leads elsewhere is not sent on, by reading or by writing", async () => {
  const project = await link();
  const { projectId } = project;
  const before = fake.calls.length;
  for (const id of badIds.filter((one) => typeof one === "string")) {
    const refusal = await rejects(client.errors.getError({ projectId, errorId: id }, client.auth), "NOT_FOUND");
    assert.is(refusal.reason, ErrorReason.ERROR_NOT_FOUND, id);
    await rejects(
      client.errors.getEvent({ projectId, eventId: id || "x", errorId: project.errorId }, client.auth),
      "NOT_FOUND",
    );
    await client.errors
      .updateErrors({ projectId, changes: [{ errorId: id, status: ErrorStatus.RESOLVED }] }, client.auth)
      .then(
        ({ errors }) => assert.equal(errors, []),
        (error: unknown) => assert.instance(error, CallError),
      );
  }
  assert.equal(
    fake.calls.slice(before).map(({ method, path }) => `${method} ${path}`),
    [],
  );
});

hostile(
  "GitLab 360666: an issue of another external project, which the token sees, is not found by any door",
  async () => {
    const [mine, other] = [await link(), await link()];
    const { projectId } = mine;
    const { errorId } = other;
    const eventId = fake.data.issues.find(({ id }) => id === errorId)?.events[0]?.id ?? "";
    const before = fake.calls.length;
    const missing: [ErrorReason, () => Promise<unknown>][] = [
      [ErrorReason.ERROR_NOT_FOUND, () => client.errors.getError({ projectId, errorId }, client.auth)],
      [ErrorReason.ERROR_NOT_FOUND, () => client.errors.getErrorStats({ projectId, errorId }, client.auth)],
      [ErrorReason.ERROR_NOT_FOUND, () => client.errors.listEvents({ projectId, errorId }, client.auth)],
      [ErrorReason.ERROR_NOT_FOUND, () => event({ ...mine, errorId })],
      [ErrorReason.EVENT_NOT_FOUND, () => client.errors.getEvent({ projectId, eventId }, client.auth)],
      [
        ErrorReason.EVENT_NOT_FOUND,
        () => client.errors.getEvent({ projectId, eventId, errorId: mine.errorId }, client.auth),
      ],
    ];
    for (const [reason, call] of missing) assert.is((await rejects(call(), "NOT_FOUND")).reason, reason);
    const changes = [
      { errorId, status: ErrorStatus.RESOLVED },
      { errorId: mine.errorId, status: ErrorStatus.IGNORED },
    ];
    const { errors } = await client.errors.updateErrors({ projectId, changes }, client.auth);
    assert.equal(
      errors.map((error) => error.errorId),
      [mine.errorId],
    );
    assert.is(fake.data.issues.find(({ id }) => id === errorId)?.status, "unresolved");
    const puts = fake.calls.slice(before).filter(({ method }) => method === "PUT");
    assert.not.ok(puts.some(({ path, query }) => path.includes(errorId) || query.getAll("id").includes(errorId)));
  },
);

hostile("GitLab 360666: an issue or event that does not name its project is not shown", async () => {
  const project = await link();
  const { projectId, errorId } = project;
  for (const given of [undefined, null, {}, { id: null }, { id: "" }, [], "11", { id: "../" }]) {
    clock.at += hourMs;
    fake.answerWith(
      change((issue: Wire) => ({ ...issue, project: given })),
      { on: /\/issues\/\d+\/$/ },
    );
    fake.answerWith(
      change((one: Wire) => ({ ...one, projectID: given })),
      { on: /latest/ },
    );
    await isRefused(client.errors.getError({ projectId, errorId }, client.auth), textOf(given));
    await isRefused(event(project), textOf(given));
  }
});

async function isRefused(call: Promise<unknown>, what: string): Promise<void> {
  const error = await call.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  assert.instance(error, CallError, `${what} was answered`);
  const { reason } = error as CallError;
  const allowed: ErrorReason[] = [
    ErrorReason.ERROR_NOT_FOUND,
    ErrorReason.EVENT_NOT_FOUND,
    ErrorReason.EXTERNAL_ANSWER_INVALID,
  ];
  assert.ok(allowed.includes(reason), `${what} ended in ${String(error)}`);
}

const permalinks: unknown[] = [
  "javascript:alert(1)",
  "JaVaScRiPt:alert(1)",
  "\u0001javascript:alert(1)",
  "java\tscript:alert(1)",
  "data:text/html,<script>alert(1)</script>",
  "vbscript:x",
  "file:///etc/passwd",
  "//evil.example/1",
  "/relative",
  "https://evil.example/issues/1/",
  "http://127.0.0.1.evil.example/",
  "http://evil.example/?127.0.0.1",
  "http://evil127.0.0.1/",
  "http://127.0.0.1@evil.example/",
  "http://user:pass@127.0.0.1/",
  "http://evil.example\\@127.0.0.1/",
  "http:\\\\evil.example/",
  "http://127.0.0.1/\n\r<script>",
  'http://127.0.0.1/"onmouseover="alert(1)',
  "",
  null,
  1,
  {},
  ["https://evil.example"],
];
hostile(
  "A23, A62: a permalink that is not a page of the external system is replaced by the address its pages have",
  async () => {
    const project = await link();
    fake.answerWith(
      change(([good]: Wire[]) => permalinks.map((permalink, index) => ({ ...good, id: `${index + 1}`, permalink }))),
      issuesOnly,
    );
    const { errors } = await list(project);
    assert.is(errors.length, permalinks.length);
    for (const { errorId, externalUrl } of errors) {
      assert.is(
        externalUrl,
        `${fake.url}/organizations/acme/issues/${errorId}/`,
        String(permalinks[Number(errorId) - 1]),
      );
    }
  },
);

// A22.
const cursor = (value: string) => `rel="next"; results="true"; cursor="${value}"`;
const badLinks: [what: string, link: string][] = [
  ["a cursor that is a URL", `<${elsewhere.url}/api/0/>; ${cursor(`${elsewhere.url}/`)}`],
  ["a cursor that leads upwards", `<x>; ${cursor("../../")}`],
  ["a cursor with a parameter", `<x>; ${cursor("0:1:0&query=is:resolved")}`],
  ["a cursor with a letter", `<x>; ${cursor("0:1:a")}`],
  ["an empty cursor", `<x>; ${cursor("")}`],
  ["a cursor of 65 digits", `<x>; ${cursor("1".repeat(65))}`],
  ["a cursor with a line break", `<x>; ${cursor("0:1\t:0")}`],
  ["no cursor but an address", `<http://169.254.169.254/latest/>; rel="next"; results="true"`],
  ["a cursor of other digits", `<x>; ${cursor("1")}`.replace('"1"', '"0:1:0x"')],
  ["a page that has no results", `<x>; rel="next"; results="false"; cursor="0:1:0"`],
  ["no brackets", cursor("0:1:0").replace("rel", "el")],
  ["brackets that do not close", `<${"<".repeat(5_000)}`],
  ["5,000 semicolons", `<x>${";".repeat(5_000)}`],
];
for (const [what, header] of badLinks) {
  hostile(`A22: a Link header with ${what} leads nowhere`, async () => {
    const project = await link();
    fake.answerWith({ change: (issues) => issues, headers: { Link: header } }, issuesOnly);
    const { errors, nextPageToken, previousPageToken } = await list(project);
    assert.is(errors.length, 1);
    assert.is(nextPageToken + previousPageToken, "");
  });
}

hostile(
  "A22: of a Link header with 100 addresses elsewhere only the cursor is taken, and asked for at our own address",
  async () => {
    const project = await link();
    const places = Array.from({ length: 100 }, (_, n) => `<${elsewhere.url}/${n}/>; ${cursor(`20:${n + 1}:0`)}`);
    fake.answerWith({ change: (issues) => issues, headers: { Link: places.join(", ") } }, issuesOnly);
    const { nextPageToken } = await list(project);
    assert.ok(nextPageToken !== "");
    assert.not.match(Buffer.from(nextPageToken, "base64url").toString(), elsewhere.url);
    fake.answerAsUsual();
    await list(project, nextPageToken);
    assert.is(fake.calls.findLast(({ query }) => query.has("cursor"))?.query.get("cursor"), "20:1:0");
  },
);

hostile("A22: a page token that somebody made of a cursor of their own is refused", async () => {
  const project = await link();
  for (const token of ["0:1:0", "../../", Buffer.from('["x","../../"]').toString("base64url"), "%00"]) {
    assert.is((await rejects(list(project, token), "INVALID_ARGUMENT")).reason, ErrorReason.INVALID_PAGE_TOKEN);
  }
});

for (const hits of ["-1", "NaN", "1e9", "0x10", "99999999999999999999", "", "5, 5", "<script>"]) {
  hostile(`A22: a count of ${JSON.stringify(hits)} in X-Hits is none`, async () => {
    const project = await link();
    fake.answerWith({ change: (issues) => issues, headers: { "X-Hits": hits } }, issuesOnly);
    const { errors, statusCounts } = await list(project);
    assert.is(errors.length, 1);
    assert.is(statusCounts, undefined);
  });
}

// A25.
hostile("A25: of a page of 2,000 issues 100 are taken", async () => {
  const project = await link();
  const seen = new Date(clock.at).toISOString();
  const json = Array.from({ length: 2_000 }, (_, n) => ({ id: `${n + 1}`, title: "x", firstSeen: seen }));
  fake.answerWith({ json }, issuesOnly);
  assert.equal(
    (await list(project)).errors.map(({ errorId }) => Number(errorId)),
    json.slice(0, 100).map(({ id }) => Number(id)),
  );
});
hostile("A25: a page of a million issues is cut before it is read", async () => {
  const project = await link();
  fake.answerWith({ body: `[${'{"id":"1"},'.repeat(999_999)}{"id":"1"}]` }, issuesOnly);
  await endsIn(list(project), endings.tooBig(/\d+/), "the list");
});
hostile("A25: of 2,000 projects Connect shows 100", async () => {
  const project = await link();
  fake.answerWith(
    change(([good]: Wire[]) => Array.from({ length: 2_000 }, (_, n) => ({ ...good, id: `${n + 1}` }))),
    {
      on: /\/projects\/$/,
    },
  );
  const { externalProjects } = await doors.Connect(client, project);
  assert.is(externalProjects.length, 100);
});

// A23: every field of every shape, with every kind of value that does not belong there.
const misfits: unknown[] = [
  null,
  true,
  -1,
  0.5,
  1e308,
  2 ** 53,
  "",
  "x",
  secretText,
  "<img src=x onerror=alert(1)>",
  "\u0000\ud800\u202e",
  "9".repeat(400),
  [],
  {},
  [[]],
  [null],
  { __proto__: null, toString: 1, constructor: { prototype: {} } },
  JSON.parse('{"__proto__":{"polluted":true}}'),
  { length: 1e9 },
  "2026-01-10T12:00:00Z",
  "+275760-09-13T00:00:00.000Z",
];

hostile(
  "A23: no field of an issue can be of a type that breaks the list, and no text ends in a number or a time",
  async () => {
    const project = await link();
    const [issue] = fake.data.issues;
    assert.ok(issue);
    const keys = Object.keys(wireIssue(issue, fake.data, { now: clock.at, origin: fake.url }));
    for (const key of keys.filter((one) => one !== "id")) {
      clock.at += hourMs;
      fake.answerWith(
        change(([good]: Wire[]) => misfits.map((misfit, n) => ({ ...good, id: `${n + 1}`, [key]: misfit }))),
        issuesOnly,
      );
      const { errors } = await list(project);
      assert.ok(errors.length > 0, `all issues with a strange ${key} are gone`);
      for (const { eventCount, affectedUserCount, hourlyCounts, externalUrl } of errors) {
        assert.ok(
          [eventCount, affectedUserCount, ...hourlyCounts].every((n) => n >= 0 && n <= 0xffff_ffff),
          key,
        );
        assert.ok(externalUrl.startsWith(`${fake.url}/`), externalUrl);
      }
    }
    assert.is(({} as Wire)["polluted"], undefined);
  },
);

hostile(
  "GitLab 215970: no place in an event can be of a type that breaks it; line and column are numbers or nothing",
  async () => {
    const project = await link();
    let whole: unknown;
    const latest = { on: /latest/ };
    fake.answerWith(
      change((one) => (whole = one)),
      latest,
    );
    await event(project);
    const places = placesIn(whole);
    assert.ok(places.length > 100, `${places.length} places`);
    let answered = 0;
    for (const [index, place] of places.entries()) {
      clock.at += hourMs;
      const misfit = misfits[(index * 5) % misfits.length];
      fake.answerAsUsual();
      fake.answerWith(
        change((one) => replaced(one, place, misfit)),
        latest,
      );
      const outcome = await event(project).catch((error: CallError) => error);
      const what = `${textOf(misfit)?.slice(0, 60)} at ${place.join(".")}`;
      if (outcome instanceof Error) {
        await isRefused(Promise.reject(outcome), what);
        assert.not.match(outcome.message, secretText);
        continue;
      }
      answered++;
      for (const { frames } of outcome.event?.exceptions ?? []) {
        for (const { lineno, colno } of frames) assert.ok(lineno >= 0 && colno >= 0, what);
      }
    }
    assert.ok(answered > places.length / 2, `only ${answered} of ${places.length} were answered`);
    assert.is(({} as Wire)["polluted"], undefined);
  },
);

/** The ways to all places in a JSON. */
function placesIn(json: unknown, way: readonly string[] = []): string[][] {
  if (typeof json !== "object" || json === null) return [];
  return Object.entries(json).flatMap(([key, value]) => [[...way, key], ...placesIn(value, [...way, key])]);
}

function replaced(json: unknown, [key = "", ...more]: readonly string[], value: unknown): unknown {
  const at = (json as Wire)[key];
  const now = more.length === 0 ? value : replaced(at, more, value);
  if (Array.isArray(json)) return json.with(Number(key), now);
  return { ...(json as Wire), [key]: now };
}

hostile("A23: texts with broken characters, markup and a million letters are cut and stored as text", async () => {
  const project = await link();
  const texts = [
    "\ud800\udfff\udc00",
    "a\u0000b",
    "x".repeat(900_000),
    "\u202egpj.exe",
    "</script><script>alert(1)</script>",
  ];
  for (const text of texts) {
    clock.at += hourMs;
    fake.answerWith(
      change(([good]: Wire[]) => [{ ...good, title: text, culprit: text.slice(0, 9), level: text.slice(0, 9) }]),
      issuesOnly,
    );
    const { errors } = await list(project);
    const [error] = errors;
    assert.ok(error);
    assert.ok(error.title.length <= 256 && error.title.isWellFormed() && !error.title.includes("\u0000"));
    assert.is(error.level, "error");
  }
});

hostile(
  "A23: a byte order mark, invalid UTF-8 in a text and keys that come twice are read in one defined way",
  async () => {
    const project = await link();
    const seen = new Date(clock.at).toISOString();
    const issue = (title: string) =>
      `[{"id":"1","title":"first","title":"${title}","firstSeen":"${seen}","project":{"id":"${project.externalId}"}}]`;
    fake.answerWith({ body: Buffer.concat([Buffer.from(issue("a")).subarray(0, -2), Buffer.from("}]")]) }, issuesOnly);
    assert.is((await list(project)).errors[0]?.title, "a", "of keys that come twice the last holds");
    clock.at += hourMs;
    const bytes = Buffer.from(issue("a?b"));
    bytes[bytes.indexOf("?")] = 0xff;
    fake.answerWith({ body: bytes }, issuesOnly);
    assert.is((await list(project)).errors[0]?.title, "a\ufffdb");
    clock.at += hourMs;
    fake.answerWith({ body: `\ufeff${issue("a")}` }, issuesOnly);
    await endsIn(list(project), endings.notJson, "a byte order mark");
  },
);

hostile("A23: a list that calls itself HTML, or nothing, is a list all the same", async () => {
  for (const type of ["text/html", "text/plain; charset=latin1", "application/x-unknown", ""]) {
    const project = await link();
    fake.answerWith({ change: (issues) => issues, headers: { "Content-Type": type } }, issuesOnly);
    assert.is((await list(project)).errors.length, 1, type);
  }
});

hostile("A23: hourly counts of strange times and numbers are left out of the graph", async () => {
  const project = await link();
  const { projectId, errorId } = project;
  const hour = Math.floor(clock.at / hourMs) * 3_600;
  const points = [
    [hour, 3],
    [hour, "9"],
    [hour + 1e9, 1],
    [-1, 1],
    ["x", 1],
    [hour - 3_600, -5],
    [hour - 3_600, 1e308],
    [],
    null,
    7,
    [hour - 7_200],
  ];
  fake.answerWith({ json: points }, { on: /stats/ });
  const { counts } = await client.errors.getErrorStats({ projectId, errorId }, client.auth);
  assert.is(counts.length, 24);
  assert.ok(counts.every((count) => count >= 0 && count <= 0xffff_ffff));
  for (const json of [{}, "x", null, { "24h": points }]) {
    clock.at += hourMs;
    fake.answerWith({ json }, { on: /stats/ });
    const outcome = await client.errors
      .getErrorStats({ projectId, errorId }, client.auth)
      .catch((error: CallError) => error);
    if (outcome instanceof CallError) await endsIn(Promise.reject(outcome), endings.missingKeys, textOf(json));
    else
      assert.ok(
        outcome.counts.every((count) => count === 0),
        textOf(json),
      );
  }
});

hostile("A23: what a project says of itself cannot break Connect, and its slugs cannot lead elsewhere", async () => {
  const project = await link();
  const slugs = ["../..", "..", "a/b", "a%2fb", "a?x", "a#x", "<script>", "", null, 1, {}, "a b", "a\n"];
  fake.answerWith(
    change(([good]: Wire[]) => [
      { ...good, id: "5", slug: "fine" },
      ...slugs.map((slug, n) => ({ ...good, id: `${100 + n}`, slug })),
      ...slugs.map((slug, n) => ({ ...good, id: `${200 + n}`, organization: { id: "1", name: "x", slug } })),
      ...badIds.map((id) => ({ ...good, id })),
      {
        ...good,
        id: "6",
        name: "<b>bold</b>",
        status: "<i>",
        organization: { id: "1", slug: "acme", name: "a\u0000b" },
      },
    ]),
    { on: /\/projects\/$/ },
  );
  const { externalProjects } = await doors.Connect(client, project);
  assert.equal(
    externalProjects.map(({ id }) => id),
    ["5", "6"],
  );
  assert.equal(
    externalProjects.map(({ status }) => status),
    ["active", ""],
  );
});

for (const scope of ["no scope", "", "1".repeat(10_000), "<script>", 21, null, { current: {} }, ["event:read"]]) {
  hostile(`A23: an external system with the scope ${JSON.stringify(scope).slice(0, 20)} breaks nothing`, async () => {
    const project = await link();
    fake.answerWith(
      { json: { version: scope, auth: { scopes: [scope, "event:read", "<b>"] } } },
      { on: /\/api\/0\/$/ },
    );
    assert.not.match(textOf(await doors.Connect(client, project)), /<script>|<b>|1{100}/);
  });
}

test.run();
