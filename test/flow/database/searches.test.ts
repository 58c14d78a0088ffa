import { ErrorStatus } from "@faultline/proto";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { rejects } from "../../support/assert/rejects.ts";
import { createProject, type Project } from "../../support/core/project.ts";
import { storeErrors } from "../../support/database/many-errors.ts";
import { execSql } from "../../support/database/other-process.ts";
import { newEventId, sendEvent } from "../../support/sentry/send.ts";
import { webApi } from "../../support/external/web-api.ts";
import { rest } from "../../support/rest/rest.ts";
import { commandHere } from "../../support/service/command-line.ts";
import { rootToken } from "../../support/service/server.ts";
import { sharedServer } from "../../support/service/flow.ts";

/** Texts that people type into the search, and their results. A false "no" would look like good news. */

const { server, client } = await sharedServer();
let project: Project;

/** The errors of the project, by the names under which the tables list them. */
const errors = {
  pay: {
    platform: "python",
    level: "error",
    environment: "production",
    release: "shop-api@3.11.0+a1b2c3",
    transaction: "POST /checkout",
    server_name: "web-1.internal",
    tags: { tenant: "globex", region: "eu-west-1" },
    user: { id: "u-17", email: "Mia.0@BigCorp.example", username: "MiaBig", ip_address: "203.0.113.7" },
    request: { url: "https://shop.example.com/checkout?token=x", method: "POST" },
    contexts: {
      browser: { name: "Safari", version: "17.1" },
      os: { name: "macOS", version: "14.5" },
      device: { family: "Mac", model: "MacBookPro18,3" },
      runtime: { name: "CPython", version: "3.12.1" },
    },
    exception: {
      values: [
        {
          type: "PaymentTimeout",
          value: "adyen did not answer within 2000 ms (order 54875)",
          mechanism: { type: "generic", handled: false },
          stacktrace: {
            frames: [
              { filename: "shop/web.py", function: "handle", lineno: 3, in_app: true },
              { filename: "shop/payments/adyen.py", function: "charge", lineno: 142, in_app: true },
              { filename: "requests/api.py", function: "post", lineno: 9, in_app: false },
            ],
          },
        },
      ],
    },
  },
  cart: {
    platform: "javascript",
    level: "warning",
    environment: "staging",
    release: "web@1.2",
    tags: { tenant: "initech" },
    user: { username: "carol" },
    request: {
      url: "https://shop.example.com/cart",
      headers: {
        "User-Agent": "Mozilla/5.0 (Windows NT 10.0) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0 Safari/537.36",
      },
    },
    exception: {
      values: [
        {
          type: "TypeError",
          value: "Cannot read properties of undefined (reading 'total') at https://cdn.example.com/app.js",
          mechanism: { type: "onerror", handled: true },
          stacktrace: { frames: [{ filename: "src/cart/Cart.ts", function: "Cart.total", lineno: 7, in_app: true }] },
        },
      ],
    },
  },
  db: {
    platform: "node",
    level: "fatal",
    environment: "production",
    release: "com.x@388.0+388.0.6",
    tags: { tenant: "globex" },
    user: { id: "7" },
    contexts: { os: { name: "Linux" }, runtime: { name: "node", version: "v26.10.0" } },
    message: "connect ECONNREFUSED db:5432 issue.priority:high user ann@example.com",
  },
  db2: {
    platform: "node",
    environment: "production",
    release: "com.x@388.0+388.0.8",
    message: "ActiveRecord::RecordNotFound for C:\\temp\\in.csv at 12:30 error: out of memory",
  },
  app: {
    platform: "ruby",
    environment: "qa",
    release: "app@1.25.3+292",
    message: "OR NOT AND 100%_done is not a word",
  },
  app2: {
    platform: "ruby",
    environment: "qa",
    release: "web@1.10.0-rc.2",
    message: "timeout while reading the queue",
  },
  commit: {
    platform: "go",
    level: "info",
    environment: "qa",
    release: "0123456789abcdef0123456789abcdef01234567",
    message: "nil map",
  },
} as const;
type Name = keyof typeof errors;
const names = Object.keys(errors) as Name[];

test.before(async () => {
  project = await createProject(server);
  for (const [n, name] of names.entries()) {
    const event = { event_id: newEventId(), timestamp: Date.now() / 1000 - n, fingerprint: [name], ...errors[name] };
    const answer = await sendEvent(server, project, event);
    assert.is(answer.status, 200, answer.text);
  }
});

const search = (query: string) =>
  client.errors.listErrors({ projectId: project.id, query, pageSize: 100 }, client.auth);

/** The names of the errors that a search finds. */
async function found(query: string): Promise<string[]> {
  const answer = await search(query);
  return answer.errors.map(({ culprit, title, firstRelease }) => {
    const name = names.find((one) => errors[one].release === firstRelease);
    return name ?? `${title} ${culprit}`;
  });
}

const all: readonly Name[] = names;
const but = (...left: Name[]) => all.filter((name) => !left.includes(name));

const finds: readonly (readonly [query: string, found: readonly Name[]])[] = [
  // Releases: any part of one, and its build where it is given.
  ["release:shop-api@3.11.0+a1b2c3", ["pay"]],
  ["release:shop-api@3.11.0", ["pay"]],
  ["release:3.11.0", ["pay"]],
  ["release:3.11.0+a1b2c3", ["pay"]],
  ["release:shop-api", ["pay"]],
  ["release:Shop-API@3.11.0", ["pay"]],
  ["release:388.0", ["db", "db2"]],
  ["release:388.0+388.0.6", ["db"]],
  ["release:388.0.8", ["db2"]],
  ["release:0123456789", ["commit"]],
  ["release:[3.11.0, web@1.2]", ["pay", "cart"]],
  ["!release:3.11.0", but("pay")],
  ["release:3.11.*", ["pay"]],
  ["firstRelease:3.11.0", ["pay"]],
  ["firstRelease:com.x@388.0", ["db", "db2"]],
  ["version:1.2", ["cart"]],
  // Their order, of two to four parts.
  ["release:>=app@1.2", ["app"]],
  ["release:>=web@1.2", ["cart", "app2"]],
  ["release:>web@1.2", ["app2"]],
  ["release:>=1.2", ["pay", "cart", "db", "db2", "app", "app2"]],
  ["release:>=2", ["pay", "db", "db2"]],
  ["release:<1.25.3.1", ["cart", "app", "app2"]],
  ["release:>=web@1.10.0", []],
  ["release:>=web@1.10.0-rc.1", ["app2"]],
  ["release:>=com.x@388.0+388.0.7", ["db2"]],
  ["release:<com.x@388.0+388.0.7", ["db"]],
  ["release:>app@1.25.3+291", ["app"]],
  ["release:>app@1.25.3+292", []],
  ["release.version:>=3.11", ["pay", "db", "db2"]],
  // What it ran in.
  ["browser:Safari", ["pay"]],
  ["browser:safari", ["pay"]],
  ['browser:"Safari 17.1"', ["pay"]],
  ['browser:"Safari 17"', ["pay"]],
  ["browser.name:Safari", ["pay"]],
  ["browser:Chrome", ["cart"]],
  ["browser:[Safari, chrome]", ["pay", "cart"]],
  ["os:macOS", ["pay"]],
  ["os.name:macos", ["pay"]],
  ["os:[Windows, linux]", ["cart", "db"]],
  ["device:MacBookPro18,3", ["pay"]],
  ["device.family:Mac", ["pay"]],
  ["runtime:CPython", ["pay"]],
  ["runtime.name:node", ["db"]],
  ["!browser:Safari level:error", ["db2", "app", "app2"]],
  ["has:browser", ["pay", "cart"]],
  // Where it occurred.
  ["file:adyen.py", ["pay"]],
  ["file:payments/adyen.py", ["pay"]],
  ["file:shop/payments/Adyen.py", ["pay"]],
  ["file:*.ts", ["cart"]],
  ["stack.filename:adyen.py", ["pay"]],
  ["function:charge", ["pay"]],
  ["function:total", ["cart"]],
  ["stack.function:cart.total", ["cart"]],
  ["adyen.py", ["pay"]],
  ["charge", ["pay"]],
  ["!charge level:[error, warning]", ["cart", "db2", "app", "app2"]],
  // Whom it affected.
  ["mia.0@bigcorp.example", ["pay"]],
  ["Mia.0@BigCorp.example", ["pay"]],
  ["203.0.113.7", ["pay"]],
  ["ann@example.com", ["db"]],
  ["user.email:MIA.0@bigcorp.example", ["pay"]],
  ["user.username:miabig", ["pay"]],
  ["user.id:U-17", ["pay"]],
  ["user.ip:203.0.113.7", ["pay"]],
  ["user.email:*@BIGCORP.example", ["pay"]],
  ["user:carol", ["cart"]],
  ["has:user.username", ["pay", "cart"]],
  // Values in any case.
  ["environment:Production", ["pay", "db", "db2"]],
  ["env:PRODUCTION", ["pay", "db", "db2"]],
  ["environment:Prod*", ["pay", "db", "db2"]],
  ["!environment:PRODUCTION", ["cart", "app", "app2", "commit"]],
  ["all:environment:Staging", ["cart"]],
  ["tenant:GLOBEX", ["pay", "db"]],
  ["tenant:[GLOBEX, Initech]", ["pay", "cart", "db"]],
  ['"region":EU-WEST-1', ["pay"]],
  ["region:EU-*", ["pay"]],
  ["type:paymenttimeout", ["pay"]],
  ["platform:Python", ["pay"]],
  ["level:ERROR", ["pay", "db2", "app", "app2"]],
  ["transaction:post*", ["pay"]],
  ['transaction:"post /CHECKOUT"', ["pay"]],
  ["url:https://SHOP.example.com/checkout", ["pay"]],
  ["server_name:WEB-1.internal", ["pay"]],
  ["handled:no", ["pay"]],
  ["error.handled:TRUE", ["cart"]],
  // Excluded.
  ["NOT level:error", ["cart", "db", "commit"]],
  ["NOT timeout NOT level:info", ["cart", "db", "db2", "app"]],
  ["not", ["pay", "cart", "db2", "app"]],
  ['"NOT" word', ["app"]],
  // Text that has a colon.
  ["error: out", ["db2"]],
  ["https://cdn.example.com/app.js", ["cart"]],
  ["ActiveRecord::RecordNotFound", ["db2"]],
  ["C:\\temp\\in.csv", ["db2"]],
  ["12:30", ["db2"]],
  ['"db:5432"', ["db"]],
  ['"issue.priority:high"', ["db"]],
  // Text.
  ["TIMEOUT", ["pay", "app2"]],
  ["timeout*", ["pay", "app2"]],
  ["*refused", ["db"]],
  ['"out of memory"', ["db2"]],
  ["100%_done", ["app"]],
  ["message:did*answer", ["pay"]],
  ["culprit:checkout", ["pay"]],
  ["is:unresolved level:fatal", ["db"]],
  ["timesSeen:>=1 users:1 level:error", ["pay"]],
  ["lastSeen:-1h level:info", ["commit"]],
  ["firstSeen:+1h", []],
];

for (const [query, expected] of finds) {
  test(`${query} finds ${expected.join(", ") || "nothing"}`, async () => {
    assert.equal(await found(query), expected);
  });
}

const refuses: readonly (readonly [query: string, sentence: RegExp])[] = [
  ["db:5432", /“db” is not a search key, and no error .* with this name\. .*in quotes: "db:5432"/],
  ["issue.priority:high", /“issue\.priority” is not a search key/],
  ["brwser:Safari", /Did you mean browser:\?/],
  ["enviroment:production", /Did you mean environment:\?/],
  ["tennant:globex", /Did you mean tenant:\?/],
  ["a !tennant:globex", /Did you mean tenant:\?.*Character 3/],
  ["has:tennant", /Did you mean tenant:\?/],
  ["tags[tennant]:globex", /Did you mean tenant:\?/],
  ["assigned:me", /“assigned” is not a search key/],
  ["error.unhandled:true", /Did you mean error\.handled:\?/],
  ["release:>=latest", /“latest” is not a version that can be ordered/],
  ["release:>shop-api@3.11.0+a1b2c3", /builds cannot be ordered/],
  ["tenant:>5", /values of tenant have no order/],
  ["browser:>=100", /values of browser have no order/],
  ["timesSeen:many", /needs a number/],
  ["is:new", /not a value of is/],
  ["a OR b", /OR is not supported/],
  ["timeout NOT", /NOT excludes the term/],
  ["(a b)", /parentheses/],
  ["browser:", /has no value/],
];

for (const [query, sentence] of refuses) {
  test(`${query} is refused with a sentence`, async () => {
    const refusal = await rejects(search(query), "INVALID_ARGUMENT");
    assert.is(refusal.field, "query");
    assert.match(refusal.message, sentence);
  });
}

/** Searches that find nothing, what is said of them, and the search that is offered instead. */
const helps: readonly (readonly [query: string, sentence: RegExp, instead: string])[] = [
  [
    "level:fatal env:prod",
    /no error .* has environment “prod”\. Similar values: “production”/i,
    "level:fatal environment:production",
  ],
  ["tenant:globax", /“globex”/, "tenant:globex"],
  ["release:3.12.0", /“3\.11\.0”/, "release:3.11.0"],
  ["browser:Safri", /“Safari”/, "browser:Safari"],
  ["file:adyen.rb", /“adyen\.py”/, "file:adyen.py"],
  ["function:charges", /“charge”/, "function:charge"],
  ["type:PaymentTimeot", /“PaymentTimeout”/, "type:PaymentTimeout"],
  ["did*answer", /Write message:did\*answer to match any text/, "message:did*answer"],
  ["region:mars", /No error of this project has region “mars”\.$/, ""],
];

for (const [query, sentence, instead] of helps) {
  test(`${query} finds nothing, and the answer says ${sentence.source}`, async () => {
    const { errors: none, searchHints } = await search(query);
    assert.equal(none, []);
    const [hint] = searchHints;
    assert.match(hint?.text ?? "", sentence);
    assert.is(hint?.query, instead);
    if (instead !== "") assert.ok((await search(instead)).errors.length > 0);
  });
}

test("if a search finds something, and on later pages, there is no hint", async () => {
  assert.equal((await search("level:fatal")).searchHints, []);
});

test("after an upgrade, a key that older events are not found by says so for 90 days", async () => {
  const until = (time: string) =>
    execSql(
      server.dataDir,
      `insert into integrated_untagged (project_id, until) values (${project.id}, ${Date.parse(time)})`,
    );
  const forget = () => execSql(server.dataDir, `delete from integrated_untagged where project_id = ${project.id}`);
  const today = new Date().toISOString().slice(0, 10);
  await until(`${today}T00:00Z`);
  const { searchHints, errors: safari } = await search("browser:Safari level:error");
  assert.is(safari.length, 1);
  assert.match(
    searchHints[0]?.text ?? "",
    new RegExp(`browser: finds errors by their events since ${today} 00:00 UTC`),
  );
  assert.equal((await search("level:error")).searchHints, []);
  await forget();
  await until("2024-01-01T00:00Z");
  assert.equal((await search("browser:Safari")).searchHints, []);
  await forget();
});

test("REST, the web API and the command line name the nearest values and the error that a search names", async () => {
  const path = `/projects/${project.id}/error_tracking/errors`;
  const ofRest = async (query: string) =>
    (await rest(server, `GET ${path}?status=all&query=${encodeURIComponent(query)}`)).headers;
  const ofWebApi = async (query: string) =>
    (await webApi(server, `GET /projects/-/${project.path}/issues/?query=${encodeURIComponent(query)}`)).headers;
  const env = { FAULTLINE_GRPC_ADDRESS: server.grpcAddress, FAULTLINE_TOKEN: rootToken };
  const command = async (query: string) =>
    (await commandHere(["errors", "list", project.path, "--status", "all", "--query", query], env)).stderr;

  const nearest = 'No error of this project has environment "prod". Similar values: "production".';
  assert.is((await ofRest("environment:prod"))["x-search-hint"], nearest);
  assert.is((await ofWebApi("environment:prod"))["x-search-hint"], nearest);
  assert.match(await command("environment:prod"), /has environment “prod”\. Similar values: “production”\./);
  assert.match((await ofRest("environment:größe%"))["x-search-hint"] as string, /"gr%C3%B6%C3%9Fe%25"/);

  const { errorId = "" } = (await search("level:fatal")).errors[0] ?? {};
  for (const headers of [await ofRest(`#${errorId}`), await ofWebApi(`#${errorId}`)]) {
    assert.is(headers["x-searched-error-id"], errorId);
  }
  assert.match(await command(`#${errorId}`), new RegExp(`The search names the error ${errorId}\\.`));
});

test("they say how many errors were examined, and how far back", async () => {
  const large = await createProject(server);
  await storeErrors(server, large.id, { count: 751, lastSeen: `${Date.UTC(2026, 0, 1)} + n` });
  const rare = "!message:*Failure*";
  const path = `GET /projects/${large.id}/error_tracking/errors?query=${encodeURIComponent(rare)}`;
  const answer = await rest(server, path);
  assert.equal(
    [answer.headers["x-examined-count"], answer.headers["x-searched-to-time"]],
    ["750", "2026-01-01T00:00:00.002Z"],
  );
  const web = await webApi(server, `GET /projects/-/${large.path}/issues/?query=${encodeURIComponent(rare)}`);
  assert.is(web.headers["x-examined-count"], "750");
  const env = { FAULTLINE_GRPC_ADDRESS: server.grpcAddress, FAULTLINE_TOKEN: rootToken };
  const { stderr } = await commandHere(["errors", "list", large.path, "--query", rare], env);
  assert.match(stderr, /750 errors were examined, back to 2026-01-01T00:00:00\.002Z\. There are more\./);
});

test("errors that a misspelled tag excludes from a change or a deletion are neither changed nor deleted", async () => {
  const query = "!tennant:globex";
  const of = { projectId: project.id, query, status: ErrorStatus.UNRESOLVED };
  for (const call of [
    () => client.errors.getErrorCount(of, client.auth),
    () => client.errors.updateMatchingErrors({ ...of, newStatus: ErrorStatus.RESOLVED, expectedCount: 7 }, client.auth),
  ]) {
    assert.match((await rejects(call(), "INVALID_ARGUMENT")).message, /Did you mean tenant:\?/);
  }
  assert.is((await search("is:unresolved")).errors.length, names.length);
});

test.run();
