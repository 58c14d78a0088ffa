import type { IncomingHttpHeaders } from "node:http";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { type ClientKey, readClientKey, readDsn } from "../../plugins/http-bridge/src/ingest/authentication.ts";

const authentication = suite("authentication");

const key = "a1b2c3d4e5f60718293a4b5c6d7e8f90";
const other = "f".repeat(32);
const header = `Sentry sentry_version=7, sentry_client=sentry.go/0.20.0, sentry_key=${key}, sentry_secret=s`;
const basic = (text: string) => `Basic ${Buffer.from(text).toString("base64")}`;

const requests: [claim: string, query: string, headers: IncomingHttpHeaders, found: ClientKey][] = [
  ["a request may name no key", "", {}, {}],
  ["a header gives key and client", "", { "x-sentry-auth": header }, { publicKey: key, client: "sentry.go/0.20.0" }],
  [
    "commas need no spaces, as in Java",
    "",
    { "x-sentry-auth": `Sentry sentry_version=7,sentry_client=sentry.java/6.18.1,sentry_key=${key},sentry_secret=s` },
    { publicKey: key, client: "sentry.java/6.18.1" },
  ],
  [
    "the query alone is enough, as in Node",
    `sentry_key=${key}&sentry_version=7&sentry_client=sentry.javascript.node%2F7.38.0`,
    {},
    { publicKey: key, client: "sentry.javascript.node/7.38.0" },
  ],
  ["the word Sentry may be lower case", "", { "x-sentry-auth": `sentry sentry_key=${key}` }, { publicKey: key }],
  ["names of fields are case-sensitive", "", { "x-sentry-auth": `Sentry SENTRY_KEY=${key}` }, {}],
  ["a header of another scheme is none", "", { "x-sentry-auth": `Basic sentry_key=${key}` }, {}],
  ["an empty key is none", "sentry_key=", { "x-sentry-auth": "Sentry sentry_key=" }, {}],
  ["any version is taken", "", { "x-sentry-auth": `Sentry sentry_version=8,sentry_key=${key}` }, { publicKey: key }],
  ["Authorization may carry the same fields", "", { authorization: `Sentry sentry_key=${key}` }, { publicKey: key }],
  ["Basic credentials name the key as user", "", { authorization: basic(`${key}:`) }, { publicKey: key }],
  ["a secret as Basic password does not matter", "", { authorization: basic(`${key}:s`) }, { publicKey: key }],
  [
    "somebody else's bearer token does not matter",
    `sentry_key=${key}`,
    { authorization: "Bearer x" },
    { publicKey: key },
  ],
  [
    "the same key twice is fine",
    `sentry_key=${key}`,
    { "x-sentry-auth": `Sentry sentry_key=${key}` },
    { publicKey: key },
  ],
  [
    "two keys are a conflict, and the query comes first",
    `sentry_key=${key}`,
    { "x-sentry-auth": `Sentry sentry_key=${other}` },
    { publicKey: key, conflict: true },
  ],
  [
    "header and Authorization can conflict",
    "",
    { "x-sentry-auth": `Sentry sentry_key=${key}`, authorization: basic(`${other}:`) },
    { publicKey: key, conflict: true },
  ],
  [
    "two keys in the query are a conflict",
    `sentry_key=${key}&sentry_key=${other}`,
    {},
    { publicKey: key, conflict: true },
  ],
];

for (const [claim, query, headers, found] of requests) {
  authentication(claim, () => assert.equal(readClientKey(new URLSearchParams(query), headers), found));
}

const dsns: [claim: string, text: string, found: ReturnType<typeof readDsn>][] = [
  ["a DSN names key and project", `https://${key}@h.example/42`, { publicKey: key, projectId: "42" }],
  ["a secret in a DSN is left out", `http://${key}:s3cret@h:9000/42`, { publicKey: key, projectId: "42" }],
  [
    "the project is the last part of the path",
    `http://${key}@h/api/v4/error_tracking/collector/42`,
    { publicKey: key, projectId: "42" },
  ],
  ["a slash at the end is tolerated", `http://${key}@h/42/`, { publicKey: key, projectId: "42" }],
  ["a DSN without a key is none", "https://h/42", undefined],
  ["a DSN without a project is none", `https://${key}@h/`, undefined],
  ["another scheme is no DSN", `ftp://${key}@h/42`, undefined],
  ["any text is no DSN", "nope", undefined],
];

for (const [claim, text, found] of dsns) {
  authentication(claim, () => assert.equal(readDsn(text), found));
}

authentication.run();
