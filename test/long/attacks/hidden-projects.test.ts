// process: the pages of the console know one core in a process
import { createRequire } from "node:module";
import { toJson, type DescMessage, type MessageShape } from "@bufbuild/protobuf";
import { ErrorReason, services } from "@faultline/proto";
import { CallError, connect } from "@faultline/proto/grpc";
import { credentials } from "@grpc/grpc-js";
import sqlite3 from "sqlite3";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { coreMethods, harmlessRequest, restEntrances, trpcEntrances } from "../../permissions/operations.ts";
import { callTrpc } from "../../support/console/console.ts";
import { databaseOf } from "../../support/database/database-of.ts";
import { http } from "../../support/http/http.ts";
import { movableFaultline, newUser } from "../../support/service/movable-faultline.ts";
import { createProject } from "../../support/core/project.ts";
import { rest } from "../../support/rest/rest.ts";
import { post } from "../../support/sentry/send.ts";
import { tempDir } from "../../support/service/temp-dir.ts";

/** The driver of the service, which comes without types. */
const pg = createRequire(import.meta.url)("pg") as { Client: { prototype: object } };

/** Somebody who has an account asks which projects there are that they may not see. */

const dataDir = tempDir();
const { client, faultline } = await movableFaultline({ dataDir }, undefined, 1 / 20); // statements are compared
const server = { url: faultline.httpUrl };
const connection = connect(faultline.grpcAddress, credentials.createInsecure());
test.after(() => connection.close());

const hidden = await createProject(server);
const { project } = await client.projects.getProject({ key: { case: "projectId", value: hidden.id } }, client.auth);
const hiddenPath = project?.path ?? "";
const missingId = 4_000_000;
const missingPath = hiddenPath.replace(/.$/, "x");
const stranger = await newUser(client);
const { token } = stranger.auth;

const masked = (text: string, named: string | number) => text.replaceAll(String(named), "<project>");

// Methods for administrators are refused to everybody else before the project is looked up.
const ofProjects = restEntrances.filter(
  ({ path, method }) => path.includes(":project") && method.need.who !== "administrator",
);

for (const { verb, path } of ofProjects) {
  test(`A91: REST ${verb} ${path} answers for a hidden project as for a missing one`, async () => {
    const ask = async (named: string | number) => {
      const filled = path.replace("/api/v4", "").replace(":project", String(named)).replaceAll(/:\w+/g, "999");
      const answer = await rest(server, `${verb} ${filled}`, { token, body: verb === "GET" ? undefined : {} });
      const { date: _, ...headers } = answer.headers;
      return { status: answer.status, headers, text: masked(answer.text, named) };
    };
    const missing = await ask(missingId);
    assert.is(missing.status, 404);
    assert.equal(await ask(hidden.id), missing);
    assert.equal(await ask(encodeURIComponent(hiddenPath)), await ask(encodeURIComponent(missingPath)));
  });
}

type AnyClient = Record<string, (request: MessageShape<DescMessage>, context: object) => unknown>;

for (const { name, service, desc } of coreMethods.filter(({ need }) => need.who === "member")) {
  test(`A91: gRPC ${name} answers for a hidden project as for a missing one`, async () => {
    const call = (connection.service(services[service]) as unknown as AnyClient)[desc.localName];
    assert.ok(call);
    const ask = async (projectId: number) => {
      try {
        const answer = call(harmlessRequest(desc, projectId), { token });
        if (desc.methodKind === "server_streaming") for await (const _ of answer as AsyncIterable<unknown>);
        else await answer;
      } catch (error) {
        const { code, reason, message, field } = error as CallError;
        return [code, reason, masked(message, projectId), field];
      }
      throw new Error("the project was shown");
    };
    const missing = await ask(missingId);
    assert.is(missing[1], ErrorReason.PROJECT_NOT_FOUND);
    assert.equal(await ask(hidden.id), missing);
  });
}

test("A91: tRPC answers for a hidden project as for a missing one", async () => {
  const headers = { Cookie: `faultline_session=${stranger.session.token}` };
  const entrances = trpcEntrances.filter(({ method, kind }) => method.need.who === "member" && kind !== "subscription");
  assert.ok(entrances.length > 20);
  for (const { name, kind, method } of entrances) {
    const ask = async (projectId: number) => {
      const input = toJson(method.desc.input, harmlessRequest(method.desc, projectId));
      const answer = await (kind === "query"
        ? http(`${server.url}/-/trpc/${name}?input=${encodeURIComponent(JSON.stringify(input))}`, { headers })
        : callTrpc(server, name, input, headers));
      return [answer.status, masked(answer.text, projectId)];
    };
    const missing = await ask(missingId);
    assert.is(missing[0], 404, name);
    assert.equal(await ask(hidden.id), missing, name);
  }
});

test("A91: pages answer for a hidden project as for a missing one", async () => {
  const headers = { Cookie: `faultline_session=${stranger.session.token}`, Accept: "text/html" };
  for (const page of ["error_tracking", "error_tracking/1/details", "project_members", "settings/monitor"]) {
    const ask = async (path: string) => {
      const { status, text } = await http(`${server.url}/${path}/-/${page}`, { headers });
      return [status, masked(text, path).replaceAll(/nonce="[^"]*"|\bnow:\d+/g, "<varies>")];
    };
    const missing = await ask(missingPath);
    assert.is(missing[0], 404, page);
    assert.equal(await ask(hiddenPath), missing, page);
  }
});

test("A91: ingestion answers for a project of another key as for a missing one", async () => {
  const own = await createProject(server);
  const ask = async (id: number) => {
    const { status, text } = await post(server, { id, key: own.key }, "store", "{}");
    return [status, masked(text, id)];
  };
  assert.equal(await ask(hidden.id), await ask(missingId));
});

type Methods = Record<string, (...given: unknown[]) => unknown>;

/** The drivers that run statements, with their methods and the text of a statement. */
const drivers = {
  sqlite: {
    prototype: sqlite3.Statement.prototype as unknown as Methods,
    names: ["all", "run"],
    textOf: (statement: unknown) => (statement as { sql: string }).sql,
  },
  postgresql: {
    prototype: pg.Client.prototype as Methods,
    names: ["query"],
    textOf: (_: unknown, query: unknown) => (query as { text?: string }).text ?? String(query),
  },
};

/** The statements that the service runs meanwhile, without their values, and without what it does each second anyway. */
async function statementsOf(work: () => Promise<unknown>): Promise<readonly string[]> {
  const run: string[] = [];
  const { prototype, names, textOf } = databaseOf(dataDir) === undefined ? drivers.sqlite : drivers.postgresql;
  const original = Object.fromEntries(names.map((name) => [name, prototype[name]]));
  for (const name of names) {
    prototype[name] = function (...given: unknown[]) {
      run.push(textOf(this, given[0]).replaceAll(/'[^']*'|\b\d+\b/g, "?"));
      return original[name]?.apply(this, given);
    };
  }
  try {
    await work();
  } finally {
    Object.assign(prototype, original);
  }
  const eachSecond =
    /own_error_reporting|outcome|advisory|pg_notify|"(notifier_\w+|error_change)"|"integrated_usage"|"integrated_(deletion|bulk_update)" where "state" in/;
  return run.filter((text) => !eachSecond.test(text));
}

test("A91: a hidden project costs as many statements as a missing one, so that time reveals nothing", async () => {
  const questions: ((named: number, path: string) => Promise<unknown>)[] = [
    (named) => rest(server, `GET /projects/${named}`, { token }),
    (_, path) => rest(server, `GET /projects/${encodeURIComponent(path)}/error_tracking/errors`, { token }),
    (named) => client.errors.listErrors({ projectId: named }, stranger.auth).catch(() => undefined),
  ];
  for (const ask of questions) {
    await ask(missingId, missingPath); // so that the caller is known
    const missing = await statementsOf(() => ask(missingId, missingPath));
    assert.ok(missing.length > 0);
    assert.equal(await statementsOf(() => ask(hidden.id, hiddenPath)), missing);
  }
});

test.run();
