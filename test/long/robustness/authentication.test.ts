import { test } from "uvu";
import * as assert from "uvu/assert";
import type { Project } from "../../support/core/project.ts";
import { rest } from "../../support/rest/rest.ts";
import { ask, assertNothingStored, testCases, type Case, type Conversation } from "../../support/sentry/robustness.ts";
import { sentryAuth } from "../../support/sentry/send.ts";
import { createKey, createProject } from "../../support/core/project.ts";
import { promised } from "../../support/run/deadlines.ts";
import { until } from "../../support/run/until.ts";

const body = '{"message":"signed"}';
const noKey = { "X-Sentry-Auth": null };
const stored = { message: "signed" };
const basic = (key: string) => `Basic ${Buffer.from(`${key}:`).toString("base64")}`;
const query = ({ id, key }: Project) => `/api/${id}/store/?sentry_key=${key}`;
const withHeader = (header: (key: string) => string) => (project: Project) => ({
  headers: { "X-Sentry-Auth": header(project.key) },
  body,
});
const tunnel =
  (dsn: (project: Project) => string, headers: Record<string, string | null> = noKey) =>
  (project: Project) => ({
    door: "envelope" as const,
    headers,
    body: `${JSON.stringify({ dsn: dsn(project) })}\n{"type":"event"}\n${body}`,
  });

/** Cases 1 to 19: who may send, and to which address. */
const cases: readonly Case[] = [
  {
    number: 1,
    claim: "without any key a request is refused in JSON that browsers may read",
    request: () => ({ headers: noKey, body }),
    status: 401,
    answer: ({ head, text }) => {
      assert.type((JSON.parse(text) as { detail?: unknown }).detail, "string");
      assert.match(head, /^access-control-allow-origin: \*$/im);
    },
  },
  {
    number: 2,
    claim: "the scheme may be in small letters",
    request: withHeader((key) => `sentry sentry_key=${key}`),
    status: 200,
    stored,
  },
  {
    number: 2,
    claim: "names in the header are case-sensitive",
    request: withHeader((key) => `sentry SENTRY_KEY=${key}`),
    status: 401,
  },
  {
    number: 3,
    claim: "a header without spaces, as Java sends it, is read",
    request: withHeader((key) => `Sentry sentry_version=7,sentry_client=sentry.java/6.18.1,sentry_key=${key}`),
    status: 200,
    stored,
  },
  {
    number: 4,
    claim: "a key in the query is enough",
    request: (project) => ({ target: query(project), headers: noKey, body }),
    status: 200,
    stored,
  },
  {
    number: 5,
    claim: "the same key in header and query is fine",
    request: (project) => ({ target: query(project), body }),
    status: 200,
    stored,
  },
  {
    number: 6,
    claim: "two different keys are refused",
    request: (project) => ({ target: query({ ...project, key: "0".repeat(32) }), body }),
    status: 401,
  },
  {
    number: 7,
    claim: "the DSN of a tunnelled envelope is enough",
    request: tunnel(({ dsn }) => dsn),
    status: 200,
    stored,
  },
  {
    number: 8,
    claim: "the DSN of another project is refused",
    request: tunnel(({ key, id }) => `http://${key}@host/${id + 1}`),
    status: 400,
  },
  {
    number: 8,
    claim: "so it is beside a right key",
    request: tunnel(({ key, id }) => `http://${key}@host/${id + 1}`, {}),
    status: 400,
  },
  {
    number: 9,
    claim: "a DSN may name another host, port and scheme",
    request: tunnel(({ key, id }) => `https://${key}@elsewhere.example:8443/some/path/${id}`),
    status: 200,
    stored,
  },
  ...[`flck_${"f".repeat(32)}`, "f".repeat(32)].map((key) => ({
    number: 10,
    claim: `an unknown key such as ${key} is refused`,
    request: withHeader(() => sentryAuth(key)),
    status: 403,
  })),
  {
    number: 12,
    claim: "a wrong secret is not looked at",
    request: withHeader((key) => `Sentry sentry_key=${key}, sentry_secret=wrong`),
    status: 200,
    stored,
  },
  ...["4", "8", "none"].map((version) => ({
    number: 13,
    claim: `protocol version ${version} is taken`,
    request: withHeader((key) => `Sentry sentry_version=${version}, sentry_key=${key}`),
    status: 200,
    stored,
  })),
  {
    number: 14,
    claim: "the key is taken from Authorization",
    request: ({ key }) => ({ headers: { ...noKey, Authorization: `Sentry sentry_key=${key}` }, body }),
    status: 200,
    stored,
  },
  {
    number: 14,
    claim: "a bearer token does not disturb the key in the query",
    request: (project) => ({ target: query(project), headers: { ...noKey, Authorization: "Bearer x" }, body }),
    status: 200,
    stored,
  },
  {
    number: 15,
    claim: "a path without its last slash is not redirected",
    request: ({ id }) => ({ target: `/api/${id}/store`, body }),
    status: 200,
    stored,
  },
  {
    number: 15,
    claim: "a double slash is no door",
    request: ({ id }) => ({ target: `/api/${id}//store/`, body }),
    status: 404,
  },
  ...["abc", "0", "-1", "1.0", "0x1", "99999999999999999999", "%31", "%00", "%zz"].map((id) => ({
    number: 16,
    claim: `no project has the id ${id}`,
    request: () => ({ target: `/api/${id}/store/`, body }),
    status: 403,
  })),
  { number: 17, claim: "an envelope cannot be got", request: () => ({ door: "envelope", method: "GET" }), status: 405 },
  {
    number: 17,
    claim: "the store can be got with an event in the query, and answers with a pixel (section 4.6)",
    request: (project) => ({
      method: "GET",
      target: `${query(project)}&sentry_data=${encodeURIComponent(body)}`,
      headers: { ...noKey, "Content-Length": null },
    }),
    status: 200,
    stored,
    answer: ({ head, text }) => {
      assert.match(head, /^content-type: image\/gif\r?$/im);
      assert.match(text, /^GIF89a/);
    },
  },
  {
    number: 17,
    claim: "what is got from the store without an event is refused",
    request: (project) => ({ method: "GET", target: query(project), headers: { ...noKey, "Content-Length": null } }),
    status: 405,
  },
  {
    number: 17,
    claim: "a preflight needs no key",
    request: () => ({ door: "envelope", method: "OPTIONS", headers: noKey }),
    status: 204,
  },
  ...["/api/v4/error_tracking/collector", "/errortracking/api/v1/projects"].map((prefix) => ({
    number: 18,
    claim: `the DSN's path ${prefix} leads to the same door`,
    request: ({ id }: Project) => ({ target: `${prefix}/api/${id}/store/`, body }),
    status: 200,
    stored,
  })),
  {
    number: 19,
    claim: "the user name of basic credentials is a key",
    request: ({ key }) => ({ headers: { ...noKey, Authorization: basic(key) }, body }),
    status: 200,
    stored,
  },
];

const conversations: readonly Conversation[] = [
  {
    number: 10,
    claim: "a deleted key is refused within a second",
    async hold({ server, client, project }) {
      const key = await createKey(server, project.id);
      const ping = { door: "envelope" as const, body: "{}" };
      assert.is((await ask(server, { ...project, ...key }, ping))?.status, 200);
      const address = `/projects/${project.id}/error_tracking/client_keys/${key.keyId}`;
      assert.is((await rest(server, `DELETE ${address}`)).status, 200);
      const isRefused = async () => (await ask(server, { ...project, ...key }, ping))?.status === 403;
      await until("the refusal", isRefused, { deadlineMs: promised(1_000) });
      await assertNothingStored(client, project);
    },
  },
  {
    number: 11,
    claim: "a right key opens no other project",
    async hold({ server, client, project }) {
      const other = await createProject(server);
      const answer = await ask(server, { ...other, key: project.key }, { body });
      assert.is(answer?.status, 403, answer?.text);
      await assertNothingStored(client, other);
      await assertNothingStored(client, project);
    },
  },
];

testCases(cases, conversations);
test.run();
