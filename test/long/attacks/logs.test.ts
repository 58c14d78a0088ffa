import { test } from "uvu";
import * as assert from "uvu/assert";
import { runningServer } from "../../support/service/flow.ts";
import { sessionCookie, signInByForm } from "../../support/console/console.ts";
import { http } from "../../support/http/http.ts";
import { execSql } from "../../support/database/other-process.ts";
import { createProject } from "../../support/core/project.ts";
import { openSocket } from "../../support/http/raw-socket.ts";
import { rest } from "../../support/rest/rest.ts";
import { newEventId, post, sendEvent } from "../../support/sentry/send.ts";
import { until } from "../../support/run/until.ts";

/** Texts that could write lines into the log, and requests that could fill it. */

const { server, client } = await runningServer({ env: { FAULTLINE_LOG_LEVEL: "trace" } });
const project = await createProject(server);
const cookie = sessionCookie(await signInByForm(server));

const esc = "\u001b";
const injected = [
  `x\r\n{"level":60,"msg":"INJECTED"}`,
  `x","level":60,"msg":"INJECTED`,
  `${esc}[2J${esc}[31mINJECTED`,
  `${esc}]0;INJECTED\u0007`,
  "x\u2028INJECTED\u0085",
  `${"x".repeat(50_000)}INJECTED`,
];

async function without(table: string, work: () => Promise<unknown>): Promise<void> {
  await execSql(server.dataDir, `alter table ${table} rename to hidden`);
  await work().finally(() => execSql(server.dataDir, `alter table hidden rename to ${table}`));
}

test("A80, A115: whatever a request holds, a line of the log is one JSON object without control signs, and bounded", async () => {
  const before = server.output().length;
  const failing = async (text: string) => {
    const encoded = encodeURIComponent(text.slice(0, 1_000));
    const headers = { "User-Agent": encoded, Cookie: cookie, Accept: "text/html" };
    await client.memberRoles
      .createMemberRole({ name: text, baseRole: 10, permissions: [2] }, client.auth)
      .catch(String);
    await client.memberRoles.listMemberRoles({}, client.auth).catch(String);
    await rest(server, `GET /member_roles?${encoded}=${encoded}`);
    await rest(server, `GET /projects/${encoded}/members`);
    await rest(server, "POST /member_roles", { body: { name: text, base_access_level: 10, [text]: text } });
    await http(`${server.url}/admin/roles?${encoded}=${encoded}`, { headers });
    await http(`${server.url}/${encoded}/-/error_tracking`, { headers });
    await http(`${server.url}/-/trpc/${encoded}?input=${encoded}`, { headers });
    await post(server, { id: project.id, key: encoded }, "store", text);
    await sendEvent(server, project, { event_id: newEventId(), message: text, level: text, release: text });
  };
  await without("member_role", async () => {
    for (const text of injected) await failing(text);
  });
  await without("client_key", async () => {
    for (const text of injected) await post(server, { id: project.id, key: "f".repeat(32) }, "store", text);
  });
  const lines = server
    .output()
    .slice(before)
    .split("\n")
    .filter((line) => line !== "");
  assert.ok(lines.length > 10, "nothing failed");
  for (const line of lines) {
    const entry = JSON.parse(line) as { level: number | string; msg?: string };
    assert.is.not(entry.level, 60);
    assert.is.not(entry.msg, "INJECTED");
    assert.not.match(line, /[\p{Cc}\u2028\u2029]/u);
    assert.ok(line.length < 16_384, `a line of ${line.length} characters`);
  }
});

test("A116: requests that are refused write nothing into the log, however many", async () => {
  const before = server.output().length;
  const refusals = [
    () => post(server, { id: project.id, key: "0".repeat(32) }, "store", "{}"),
    () => post(server, { id: 999, key: project.key }, "envelope", "{}"),
    () => post(server, project, "store", "no JSON"),
    () => post(server, project, "store", "{}", { "Content-Encoding": "nothing" }),
    () => post(server, project, "envelope", `{}\n{"type":"event","length":9}\n{`),
    () => rest(server, "GET /user", { token: "flp_nobody" }),
    () => rest(server, `GET /projects/999`),
    () => http(`${server.url}/-/nothing`, { headers: { Cookie: cookie } }),
  ];
  let refused = 0;
  for (let round = 0; round < 100; round++) {
    const answers = await Promise.all(refusals.map((refuse) => refuse()));
    refused += answers.filter(({ status }) => status >= 400 && status < 500).length;
  }
  assert.is(refused, 100 * refusals.length);
  assert.is(server.output().slice(before), "");
});

test("callers that leave in the middle of a request write nothing into the log", async () => {
  const before = server.output().length;
  for (const head of [
    "GET /api/0/ HTTP/1.1",
    "POST /api/v4/projects HTTP/1.1",
    "POST /-/sign_in HTTP/1.1\r\nContent-Type: application/x-www-form-urlencoded\r\nOrigin: " + server.url,
    "POST /-/trpc/accounts.signIn HTTP/1.1\r\nContent-Type: application/json\r\nOrigin: " + server.url,
  ]) {
    for (let round = 0; round < 5; round++) {
      const socket = await openSocket(server);
      socket.write(`${head}\r\nHost: ${new URL(server.url).host}\r\nContent-Length: 100\r\n\r\nx`);
      socket.destroy();
    }
  }
  assert.is((await rest(server, "GET /user")).status, 200); // on a new connection, after theirs
  await until("all of them are over", async () => (await openConnections()) === 0);
  assert.is(server.output().slice(before), "");
});

/** The number of other requests under way. */
async function openConnections(): Promise<number> {
  const { text } = await http(`${server.url}/-/metrics`);
  return Number(/^faultline_http_requests_running (\d+)$/m.exec(text)?.[1] ?? 1) - 1;
}

test.run();
