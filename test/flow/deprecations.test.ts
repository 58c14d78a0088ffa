import { DeprecationArea, DeprecationState } from "@faultline/proto";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { withoutReason } from "../support/assert/assert-answer.ts";
import { deprecatedRequests } from "../support/rest/deprecated-requests.ts";
import { grpcClient } from "../support/core/grpc.ts";
import { http, type HttpAnswer } from "../support/http/http.ts";
import { rejects } from "../support/assert/rejects.ts";
import { rest } from "../support/rest/rest.ts";
import { rootToken, startServer, type Server } from "../support/service/server.ts";

const server = (release: string, offering: "self_managed" | "hosted" = "self_managed") =>
  startServer({ env: { FAULTLINE_PLATFORM_RELEASE: release, FAULTLINE_OFFERING: offering } });

const servers = {
  "15.11": await server("15.11"),
  "16.11": await server("16.11"),
  "16.11 hosted": await server("16.11", "hosted"),
  "17.0": await server("17.0"),
  "18.0": await server("18.0"),
};
type Name = keyof typeof servers;
const names = Object.keys(servers) as Name[]; // the names above

test.after(async () => {
  await Promise.all(Object.values(servers).map((one) => one.stop()));
});

/** The headers of an answer about deprecation. */
function headersOf({ headers }: HttpAnswer): { deprecation: unknown; sunset: unknown; link: unknown } {
  return { deprecation: headers["deprecation"], sunset: headers["sunset"], link: headers.link };
}

const noHeaders = { deprecation: undefined, sunset: undefined, link: undefined };

/** The headers for a notice that was announced and ends on these days. */
function notice(at: Server, id: string, announced: string, ends: string): ReturnType<typeof headersOf> {
  const page = `<${at.url}/-/deprecations#${id}>`;
  return {
    deprecation: `@${Date.parse(announced) / 1000}`,
    sunset: new Date(ends).toUTCString(),
    link: `${page}; rel="deprecation"; type="text/html", ${page}; rel="sunset"; type="text/html"`,
  };
}

type Fate = "unannounced" | "deprecated" | "removed";

/** Calls of addresses that this service does not have, sent without a token. */
const calls: readonly {
  call: string;
  body?: unknown;
  id: string;
  announced: string;
  ends: string;
  endsHosted: string;
  status: 410 | 400;
  names: string;
  fates: Readonly<Record<Name, Fate>>;
}[] = [
  {
    call: "POST /runners",
    body: { token: "GR1348941abc", tag_list: "docker" },
    id: "runners-registration-token",
    announced: "2022-11-22",
    ends: "2024-05-16",
    endsHosted: "2024-05-16",
    status: 410,
    names: "Use a runner authentication token instead (not part of this service).",
    fates: {
      "15.11": "deprecated",
      "16.11": "deprecated",
      "16.11 hosted": "deprecated",
      "17.0": "removed",
      "18.0": "removed",
    },
  },
  ...["/runners", "/projects/1/runners", "/groups/1/runners"].map((runners) => ({
    call: `POST ${runners}/reset_registration_token`,
    id: "runners-reset-registration-token",
    announced: "2022-12-22",
    ends: "2025-05-15",
    endsHosted: "2025-04-17",
    status: 410 as const,
    names: "Use runner authentication tokens instead (not part of this service).",
    fates: {
      "15.11": "deprecated",
      "16.11": "deprecated",
      "16.11 hosted": "deprecated",
      "17.0": "deprecated",
      "18.0": "removed",
    } as const,
  })),
  {
    call: "GET /projects/1/ci/lint?ref=main",
    id: "ci-lint-ref-sha",
    announced: "2024-03-21",
    ends: "2025-05-15",
    endsHosted: "2025-04-17",
    status: 400,
    names: "Use content_ref and dry_run_ref instead (not part of this service).",
    fates: {
      "15.11": "unannounced",
      "16.11": "deprecated",
      "16.11 hosted": "deprecated",
      "17.0": "deprecated",
      "18.0": "removed",
    },
  },
  {
    call: "POST /projects/1/feature_flags",
    body: { name: "flag", version: "legacy_flag" },
    id: "feature-flags-version",
    announced: "2024-02-15",
    ends: "2024-05-16",
    endsHosted: "2024-04-18",
    status: 400,
    names: "The field version of feature flags is removed",
    fates: {
      "15.11": "unannounced",
      "16.11": "deprecated",
      "16.11 hosted": "removed",
      "17.0": "removed",
      "18.0": "removed",
    },
  },
  {
    call: "GET /projects/1/environments?search=ab",
    id: "environments-search",
    announced: "2023-03-22",
    ends: "2023-05-22",
    endsHosted: "2023-04-22",
    status: 400,
    names: "Use at least 3 characters. This interface is not part of this service.",
    fates: {
      "15.11": "deprecated",
      "16.11": "removed",
      "16.11 hosted": "removed",
      "17.0": "removed",
      "18.0": "removed",
    },
  },
];

for (const { call, body, id, announced, ends, endsHosted, status, names: words, fates } of calls) {
  for (const name of names) {
    test(`${call} at ${name} is ${fates[name]}`, async () => {
      const at = servers[name];
      const answer = await rest(at, call, { token: null, body });
      if (fates[name] === "removed") {
        assert.is(answer.status, status, answer.text);
        const { message, error } = answer.json as { message?: string; error?: string };
        if (status === 410) assert.match(message ?? "", /^410 Gone - /);
        assert.match(message ?? error ?? "", words);
        assert.equal(headersOf(answer), noHeaders);
        return;
      }
      assert.is(answer.status, 404, "the address is not ours");
      assert.equal(withoutReason(answer.json), { error: "404 Not Found" });
      const expected = notice(at, id, announced, name === "16.11 hosted" ? endsHosted : ends);
      assert.equal(headersOf(answer), fates[name] === "deprecated" ? expected : noHeaders);
    });
  }
}

/** A call of POST /runners with a token and one parameter, in each way to send a parameter. */
const waysToSend: readonly [way: string, send: (at: Server, name: string, value: string) => Promise<HttpAnswer>][] = [
  [
    "JSON",
    (at, name, value) => register(at, "", "application/json", JSON.stringify({ token: "glrt-abc", [name]: value })),
  ],
  [
    "a form",
    (at, name, value) => register(at, "", formType, `token=glrt-abc&${new URLSearchParams({ [name]: value })}`),
  ],
  [
    "a multipart form",
    (at, name, value) =>
      register(
        at,
        "",
        "multipart/form-data; boundary=b0",
        [
          ["token", "glrt-abc"],
          [name, value],
        ]
          .map(([key, one]) => `--b0\r\nContent-Disposition: form-data; name="${key}"\r\n\r\n${one}\r\n`)
          .join("") + "--b0--\r\n",
      ),
  ],
  [
    "a query",
    (at, name, value) => register(at, `?token=glrt-abc&${new URLSearchParams({ [name]: value })}`, formType, ""),
  ],
];
const formType = "application/x-www-form-urlencoded";

function register(at: Server, query: string, type: string, body: string): Promise<HttpAnswer> {
  const headers = { "Content-Type": type, "Content-Length": `${Buffer.byteLength(body)}` };
  return http(`${at.url}/api/v4/runners${query}`, { method: "POST", headers, body });
}

const registrationArguments = [
  "locked access-level run-untagged maximum-timeout paused tag-list maintenance-note", // as the specification writes them
  "access_level run_untagged maximum_timeout tag_list maintenance_note",
  "tag_list[] tag-list[] tag_list[0]",
].flatMap((line) => line.split(" "));
for (const [way, send] of waysToSend) {
  test(`the arguments of registration are gone from 17.0 on in ${way}, with hyphens and underscores`, async () => {
    for (const name of ["17.0", "18.0"] as const) {
      for (const argument of registrationArguments) {
        const { status, json } = await send(servers[name], argument, "docker");
        assert.is(status, 410, `${argument} at ${name}`);
        assert.match((json as { message: string }).message, /^410 Gone - .* as of release 17\.0\./);
      }
      assert.is((await send(servers[name], "token", "GR1348941abc")).status, 410);
      assert.is((await send(servers[name], "description", "mine")).status, 404);
    }
    for (const argument of registrationArguments) {
      const early = await send(servers["16.11"], argument, "docker");
      assert.is(early.status, 404);
      assert.ok(early.headers["deprecation"], argument);
    }
  });
}

for (const [title, body, type] of [
  ["no JSON", "{", "application/json"],
  ["of another type", "<runner/>", "application/xml"],
  ["too large", JSON.stringify({ token: "x".repeat(70_000) }), "application/json"],
] as const) {
  test(`a body that is ${title} leaves an address we do not have not found`, async () => {
    const answer = await http(`${servers["18.0"].url}/api/v4/runners`, {
      method: "POST",
      headers: { "Content-Type": type, "Content-Length": `${Buffer.byteLength(body)}` },
      body,
    });
    assert.is(answer.status, 404, answer.text);
  });
}

test("/oauth/discovery/keys, which replaces /-/jwks, is an empty set of keys at every release", async () => {
  for (const at of Object.values(servers)) {
    const { status, json, headers } = await http(`${at.url}/oauth/discovery/keys`);
    assert.equal([status, json], [200, { keys: [] }]);
    assert.is(headers["content-type"], "application/json");
    assert.is(headers["cache-control"], "public, max-age=3600");
    assert.is((await http(`${at.url}/oauth/discovery/keys`, { method: "HEAD" })).status, 200);
    assert.is((await http(`${at.url}/oauth/discovery/keys`, { method: "POST" })).status, 405);
  }
});

test("/-/jwks is gone from 17.0 on, and before that was never ours", async () => {
  const jwks = (name: Name) => http(`${servers[name].url}/-/jwks`);
  assert.is((await jwks("15.11")).status, 404);
  assert.equal(headersOf(await jwks("15.11")), noHeaders);
  const before = await jwks("16.11");
  assert.is(before.status, 404);
  assert.equal(headersOf(before), notice(servers["16.11"], "jwks", "2023-12-21", "2024-05-16"));
  for (const name of ["16.11 hosted", "17.0", "18.0"] as const) {
    const { status, json } = await jwks(name);
    assert.is(status, 410, name);
    assert.match(JSON.stringify(json), "Use /oauth/discovery/keys instead.");
  }
});

test("users are paged by offset until 17.0, and the answer says so", async () => {
  const page = (name: Name) => rest(servers[name], "GET /users?page=1&per_page=1");
  const early = await page("15.11");
  assert.is(early.status, 200, early.text);
  assert.is(early.headers["deprecation"], undefined);
  const late = await page("16.11");
  assert.is(late.status, 200, late.text);
  const { deprecation, sunset, link } = notice(servers["16.11"], "users-offset-pagination", "2023-10-22", "2024-05-16");
  assert.is(late.headers["deprecation"], deprecation);
  assert.is(late.headers["sunset"], sunset);
  assert.is(late.headers["x-page"], "1");
  // The links of pagination stay in front of the links of the notice.
  assert.match(late.headers.link as string, 'rel="first"');
  assert.ok((late.headers.link as string).endsWith(link as string));
});

for (const name of ["16.11 hosted", "17.0", "18.0"] as const) {
  test(`users are no longer paged by offset at ${name}`, async () => {
    const { status, json } = await rest(servers[name], "GET /users?page=1");
    assert.is(status, 400);
    assert.match((json as { error: string }).error, "Use keyset pagination (pagination=keyset, order_by=id) instead.");
    assert.is((await rest(servers[name], "GET /users?pagination=keyset&order_by=id&per_page=1")).status, 200);
    assert.is((await rest(servers[name], "GET /users")).status, 200);
  });
}

test("callers without permission learn of a missing token first", async () => {
  const { status } = await rest(servers["18.0"], "GET /users?page=1", { token: null });
  assert.is(status, 401);
});

test("an attribute that was removed is refused where the rest of the call would work", async () => {
  const { json } = await rest(servers["18.0"], "POST /projects", { body: { name: "one", path: "one" } });
  const { id } = json as { id: number };
  const change = (body: unknown) => rest(servers["18.0"], `PUT /projects/${id}`, { body });
  const refused = await change({ name: "two", ci_job_token_scope_enabled: true });
  assert.is(refused.status, 400, refused.text);
  assert.match(
    (refused.json as { error: string }).error,
    "Use the job-token-scope APIs instead (not part of this service).",
  );
  const { name } = (await rest(servers["18.0"], `GET /projects/${id}`)).json as { name: string };
  assert.is(name, "one", "nothing was changed");
  assert.is((await change({ name: "two" })).status, 200);
});

/** Addresses that a sentence names, such as `/oauth/discovery/keys`. Addresses of REST have no /api/v4. */
const addressesIn = (sentence: string) =>
  (sentence.match(/(?<![\w<])\/[\w:/-]+/g) ?? []).map((one) => one.replace(/:\w+/g, "1"));

const notServed = /not part of this service/;

/** Further releases, at which other notices are announced, end or have just ended. */
const walked: readonly (readonly [release: string, offering: "self_managed" | "hosted"])[] = [
  ["15.0", "self_managed"],
  ["16.6", "hosted"],
  ["16.7", "self_managed"],
  ["17.10", "self_managed"],
];
for (const [release, start] of [
  ...Object.entries(servers).map(([one, running]) => [one, () => Promise.resolve(running)] as const),
  ...walked.map(([one, offering]) => [`${one} ${offering}`, () => server(one, offering)] as const),
]) {
  test(`at ${release} no refusal sends anybody to an address that is not there`, async () => {
    const at = await start();
    try {
      await rest(at, "POST /projects", { body: { name: "walked", path: "walked" } });
      assert.is((await rest(at, "GET /projects/1")).status, 200, "the requests are about the project 1");
      const answers = async (address: string) => {
        const headers = { "PRIVATE-TOKEN": rootToken };
        const found = await Promise.all(
          [address, `/api/v4${address}`].map((path) => http(`${at.url}${path}`, { headers })),
        );
        return found.some(({ status }) => status !== 404);
      };
      const attribute = {
        id: "projects-ci-job-token-scope-enabled",
        requests: [["PUT /api/v4/projects/1", { ci_job_token_scope_enabled: true }]],
      } as const;
      const { deprecations } = (await rest(at, "GET /deprecations")).json as {
        deprecations: { id: string; state: string; replacement: string | null; change: string }[];
      };
      const changeOf = new Map(deprecations.map(({ id, change }) => [id, change.replace(/\.$/, "")]));
      const met = new Set<string>();
      for (const { id, requests } of [...deprecatedRequests, attribute]) {
        for (const [call, parameters] of requests) {
          const [method = "", path = ""] = call.split(" ", 2);
          const text = method === "GET" ? "" : JSON.stringify(parameters);
          const query = method === "GET" ? `?${new URLSearchParams(parameters as Record<string, string>)}` : "";
          const { status, json } = await http(`${at.url}${path}${query}`, {
            method,
            headers: {
              "PRIVATE-TOKEN": rootToken,
              "Content-Type": "application/json",
              "Content-Length": `${Buffer.byteLength(text)}`,
            },
            body: text,
          });
          if (status !== 410 && status !== 400) continue;
          const { message, error } = json as { message?: string; error?: string };
          const sentence = message ?? error ?? "";
          if (!sentence.includes(changeOf.get(id) ?? "?")) continue; // refused for another reason
          met.add(id);
          for (const address of addressesIn(sentence)) {
            assert.ok(notServed.test(sentence) || (await answers(address)), `${id}: ${address} in: ${sentence}`);
          }
          if (/\bUse /.test(sentence) && !/pagination=keyset, order_by=id|\/oauth\/discovery\/keys/.test(sentence)) {
            assert.match(sentence, notServed, id);
          }
        }
      }
      const judged = new Set([...deprecatedRequests.map(({ id }) => id), attribute.id]);
      const over = deprecations.filter(({ state }) => state === "removed" || state === "unsupported");
      assert.equal(
        [...met].toSorted(),
        over.flatMap(({ id }) => (judged.has(id) ? [id] : [])).toSorted(),
        "each notice that is in force was met",
      );
      for (const { id, replacement } of deprecations) {
        for (const address of addressesIn(replacement ?? "")) {
          assert.ok(notServed.test(replacement ?? "") || (await answers(address)), `${id}: ${replacement}`);
        }
      }
    } finally {
      if (!Object.values(servers).includes(at)) await at.stop();
    }
  });
}

test("GET /deprecations lists every notice with its state at the installation's release", async () => {
  const { status, json } = await rest(servers["17.0"], "GET /deprecations");
  assert.is(status, 200);
  const { release, deprecations } = json as { release: string; deprecations: { id: string; state: string }[] };
  assert.is(release, "17.0");
  assert.is(deprecations.length, 32);
  assert.is(deprecations[0]?.state, "deprecated");
  assert.equal(
    deprecations.find(({ id }) => id === "runners-registration-token"),
    {
      id: "runners-registration-token",
      area: "rest",
      subject: "POST /runners",
      change:
        "Registration tokens and the arguments locked, access_level, run_untagged, maximum_timeout, paused, tag_list and maintenance_note of POST /runners are gone.",
      replacement: "a runner authentication token (not part of this service)",
      announced_in: "15.6",
      announced_on: "2022-11-22",
      end_of_support_in: "17.0",
      removed_in: "18.0",
      removed_on: "2025-05-15",
      breaking_change: true,
      state: "unsupported",
    },
  );
});

test("GET /deprecations answers for a release, for what a release touches, and for one area", async () => {
  const list = async (query: string) => {
    const { json, status, text } = await rest(servers["18.0"], `GET /deprecations?${query}`);
    assert.is(status, 200, text);
    return (json as { deprecations: { id: string; state: string; announced_in: string; area: string }[] }).deprecations;
  };
  const users = (await list("release=16.11")).find(({ id }) => id === "users-offset-pagination");
  assert.is(users?.state, "deprecated");
  assert.equal((await list("touched_in=16.7")).map(({ id }) => id).toSorted(), [
    "jwks",
    "settings-user-email-lookup-limit",
  ]);
  assert.equal(
    (await list("area=external_system")).map(({ id }) => id),
    ["external-system-version"],
  );
  assert.ok((await list("area=graphql")).every(({ area }) => area === "graphql"));
});

for (const [query, words] of [
  ["release=17", "400 Bad request - The release must look like 18.0."],
  ["touched_in=seventeen", "400 Bad request - The release in touched_in must look like 18.0."],
] as const) {
  test(`GET /deprecations?${query} is refused`, async () => {
    const { status, json } = await rest(servers["18.0"], `GET /deprecations?${query}`);
    assert.is(status, 400);
    assert.equal(withoutReason(json), { message: words });
  });
}

test("GET /deprecations?area=soap is refused", async () => {
  const { status, json } = await rest(servers["18.0"], "GET /deprecations?area=soap");
  assert.is(status, 400);
  assert.equal(withoutReason(json), { error: "area does not have a valid value" });
});

test("GET /deprecations asks for a token", async () =>
  assert.is((await rest(servers["18.0"], "GET /deprecations", { token: null })).status, 401));

test("DeprecationService lists the same notices", async () => {
  const client = grpcClient(servers["16.11 hosted"]);
  try {
    const { release, deprecations } = await client.deprecations.listDeprecations(
      { area: DeprecationArea.REST },
      { token: rootToken },
    );
    assert.is(release, "16.11");
    const users = deprecations.find(({ deprecationId }) => deprecationId === "users-offset-pagination");
    assert.is(users?.state, DeprecationState.REMOVED);
    const refusal = await rejects(
      client.deprecations.listDeprecations({ touchedIn: "17" }, { token: rootToken }),
      "INVALID_ARGUMENT",
    );
    assert.match(refusal.message, "touched_in");
  } finally {
    client.close();
  }
});

test("a platform release that never was keeps the service from starting", async () => {
  const refused = await startServer({ env: { FAULTLINE_PLATFORM_RELEASE: "14.11" } }).then(
    () => "it started",
    (error: unknown) => String(error),
  );
  assert.match(refused, "There is no platform release 14.11");
});

test.run();
