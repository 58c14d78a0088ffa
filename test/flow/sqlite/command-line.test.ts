// limit: 240 s
import { execFile, spawn } from "node:child_process";
import { appendFileSync, cpSync, existsSync, readdirSync, readFileSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createServer, type AddressInfo, type Server } from "node:net";
import { DatabaseSync } from "node:sqlite";
import type { Readable } from "node:stream";
import { createServer as createTlsServer } from "node:tls";
import { ErrorStatus } from "@faultline/proto";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { fakeExternal } from "../../support/external/fake-external.ts";
import { acme, shop } from "../../support/external/played-sentry/data.ts";
import { runningServer } from "../../support/service/flow.ts";
import { commandHere, jsonLines, runCommand, type Environment, type Ran } from "../../support/service/command-line.ts";
import { grpcClient } from "../../support/core/grpc.ts";
import { movableClock } from "../../support/service/movable-faultline.ts";
import { createProject } from "../../support/core/project.ts";
import { recount } from "../../support/database/recount.ts";
import { newEventId, sendEvent } from "../../support/sentry/send.ts";
import { bundle, repositoryRoot, rootPassword, rootToken, startServer } from "../../support/service/server.ts";
import { storedErrors, storedEventIds } from "../../support/database/stored.ts";
import { selfSigned } from "../../support/service/certificates.ts";
import { atEndOf } from "../../support/run/end-of-file.ts";
import { tempDir } from "../../support/service/temp-dir.ts";
import { until } from "../../support/run/until.ts";

const { server, client } = await runningServer();

/** The environment of every run: the service of this file and the administrator's token. */
const usual: Environment = {
  FAULTLINE_GRPC_ADDRESS: server.grpcAddress,
  FAULTLINE_DATA_DIR: server.dataDir,
  FAULTLINE_TOKEN: rootToken,
};

/** A command in this process, with the administrator's token unless `env` says otherwise. */
const faultline = (args: readonly string[], { env = {} }: { env?: Environment } = {}) =>
  commandHere(args, { ...usual, ...env });

/** The same as a program, where files are made, input is read or the process ends. */
const program = (args: readonly string[], { env = {}, input }: { env?: Environment; input?: string } = {}) =>
  runCommand(args, { ...usual, ...env }, input);

const failing = (n: number) => ({
  event_id: newEventId(),
  level: n % 3 === 0 ? "fatal" : "error",
  release: "shop@1.2.3",
  environment: "production",
  user: { id: String(n % 5) },
  tags: { page: `p${n % 4}` },
  timestamp: Date.now() / 1000 - 60 * n,
  exception: { values: [{ type: `Error${n % 7}`, value: `failed at ${n}` }] },
});

test("errors are deleted, brought back and discarded, and a project is deleted immediately", async () => {
  const project = await createProject(server);
  for (let n = 0; n < 8; n += 1) await sendEvent(server, project, failing(n));
  const listed = async () => (await faultline(["errors", "list", project.path, "--status", "all"])).lines;
  const [first] = await listed();
  const errorId = String(first?.["id"]);
  const deleted = await faultline(["errors", "delete", project.path, errorId]);
  assert.equal([deleted.code, deleted.lines[0]?.["state"]], [0, "hidden"], deleted.stderr);
  assert.is((await listed()).length, 6);
  const undone = await faultline(["errors", "undelete", project.path, String(deleted.lines[0]?.["id"])]);
  assert.is(undone.lines[0]?.["restored_count"], 1, undone.stderr);

  const without = await faultline(["errors", "delete", project.path, "--query", "level:fatal"]);
  assert.is(without.code, 1);
  assert.match(without.stderr, /number of errors that you expect to delete/);
  assert.match(
    (await faultline(["errors", "delete", project.path])).stderr,
    /Choose the errors to delete: name them, or give/,
  );
  const wrong = await faultline(["errors", "delete", project.path, "--status", "all", "--expect", "5"]);
  assert.match(wrong.stderr, /7 errors match now, but 5 were expected, so nothing was deleted/);
  assert.is((await listed()).length, 7);
  const all = ["--status", "all", "--expect", "7", "--no-undo", "--discard-after", "1"];
  const gone = await faultline(["errors", "delete", project.path, ...all]);
  assert.equal([gone.lines[0]?.["deleted_count"], gone.lines[0]?.["undo_until"]], [7, null], gone.stderr);
  assert.equal(await listed(), []);
  assert.is((await faultline(["errors", "deletions", project.path])).lines.length, 2);
  const discards = await faultline(["errors", "discards", project.path]);
  assert.is(discards.lines.length, 7);
  const again = await faultline(["errors", "record-again", project.path, String(discards.lines[0]?.["id"])]);
  assert.type(again.lines[0]?.["ended_at"], "string", again.stderr);

  const removed = await faultline(["projects", "delete", project.path, "--now"]);
  assert.is(removed.code, 0, removed.stderr);
  assert.equal((await client.projects.listDeletedProjects({}, client.auth)).projects, []);
});

test("searches are saved, listed and deleted", async () => {
  const project = await createProject(server);
  const save = (...options: string[]) => faultline(["searches", "save", project.path, ...options]);
  const made = await save("Checkout", "--query", "transaction:/cart", "--sort", "events", "--shared");
  assert.equal([made.code, made.lines[0]?.["name"], made.lines[0]?.["shared"]], [0, "Checkout", true], made.stderr);
  await save("Mine", "--status", "all");
  assert.match((await save("Bad", "--query", "is:open")).stderr, /“open” is not a value of is/);
  const listed = await faultline(["searches", "list", project.path]);
  assert.equal(
    listed.lines.map(({ name }) => name),
    ["Mine", "Checkout"],
  );
  const gone = await faultline(["searches", "delete", project.path, String(made.lines[0]?.["id"])]);
  assert.equal([gone.code, gone.stdout], [0, ""], gone.stderr);
});

test("projects, keys and tokens are made, and an error is listed, shown and resolved", async () => {
  const made = await faultline(["projects", "create", "cli/shop", "--active"]);
  assert.is(made.code, 0, made.stderr);
  const [project, settings] = made.lines;
  assert.is(project?.["path"], "cli/shop");
  assert.not.match(made.stdout, /not active/); // of a project that is active now
  const [, key = ""] = /\/\/(\w+)@/.exec(String(settings?.["dsn"])) ?? [];
  const id = Number(project?.["id"]);
  assert.is((await sendEvent(server, { id, key }, failing(1))).status, 200);

  const listed = await faultline(["errors", "list", "cli/shop"]);
  assert.equal(
    listed.lines.map((error) => error["title"]),
    ["Error1: failed at 1"],
  );
  const errorId = String(listed.lines[0]?.["id"]);
  const shown = await faultline(["errors", "show", String(id), errorId]);
  assert.is(shown.lines[0]?.["release"], "shop@1.2.3");
  const divided = await faultline(["errors", "breakdown", "cli/shop", errorId]);
  assert.is(divided.lines[0]?.["examined_count"], 1);

  const resolved = await faultline(["errors", "resolve", "cli/shop", errorId]);
  assert.is(resolved.lines[0]?.["status"], "resolved");
  assert.equal((await faultline(["errors", "list", "cli/shop"])).lines, []);
  assert.is((await faultline(["errors", "list", "cli/shop", "--status", "resolved"])).lines.length, 1);

  const { lines: keys } = await faultline(["keys", "create", "cli/shop"]);
  assert.match(String(keys[0]?.["sentry_dsn"]), /^http:\/\/\w+@127\.0\.0\.1:\d+\/\d+$/);
  assert.is((await faultline(["keys", "list", "cli/shop"])).lines.length, 2);
  const keyId = String(keys[0]?.["id"]);
  const limits = [
    "--disable",
    "--events-per-day",
    "50000",
    "--allowed-origins",
    "https://a.example,https://*.b.example",
  ];
  const { lines: updated } = await faultline(["keys", "update", "cli/shop", keyId, ...limits]);
  const { active, events_per_minute, events_per_day, allowed_origins } = updated[0] ?? {};
  assert.equal([active, events_per_minute, events_per_day], [false, null, 50_000]);
  assert.equal(allowed_origins, ["https://a.example", "https://*.b.example"]);
  const open = await faultline(["keys", "update", "cli/shop", keyId, "--enable", "--allowed-origins", ""]);
  assert.equal((await faultline(["keys", "show", "cli/shop", keyId])).lines, open.lines);
  const tooMany = await faultline(["keys", "update", "cli/shop", keyId, "--events-per-minute", "60000"]);
  assert.equal([tooMany.code, tooMany.stdout], [1, ""]);
  assert.match(tooMany.stderr, /limit per minute \(60000\) is above the limit per day \(50000\)/);
  const noNumber = await faultline(["keys", "update", "cli/shop", keyId, "--events-per-day", "lots"]);
  assert.is(noNumber.code, 1);
  const { lines: traffic } = await faultline(["keys", "traffic", "cli/shop", keyId, "--hours", "48"]);
  assert.equal(
    traffic.map(({ event_counts }) => event_counts),
    [Array.from({ length: 48 }, () => 0)],
  );
  assert.is((await faultline(["keys", "delete", "cli/shop", keyId])).code, 0);
  assert.is((await faultline(["keys", "list", "cli/shop"])).lines.length, 1);

  const env = { FAULTLINE_PASSWORD: rootPassword };
  const { lines: tokens } = await faultline(["tokens", "create", "ci", "--user", "root", "--scope", "read_api"], {
    env,
  });
  const FAULTLINE_TOKEN = String(tokens[0]?.["token"]);
  const reading = await faultline(["projects", "list", "--query", "cli/"], { env: { FAULTLINE_TOKEN } });
  assert.equal(
    reading.lines.map((one) => one["path"]),
    ["cli/shop"],
  );
  const { lines: listedKeys } = await faultline(["keys", "list", "cli/shop"], { env: { FAULTLINE_TOKEN } });
  assert.equal(
    listedKeys.map(({ public_key, sentry_dsn, legacy_dsn }) => [public_key, sentry_dsn, legacy_dsn]),
    [[null, null, null]],
  );
  const writing = await faultline(["projects", "create", "cli/other"], { env: { FAULTLINE_TOKEN } });
  assert.is(writing.code, 1);
  assert.match(writing.stderr, /lacks the scope api/);
});

test("ids that name nothing are said, with exit code 1, and the others are done", async () => {
  const project = await createProject(server);
  for (let n = 0; n < 2; n += 1) await sendEvent(server, project, failing(n));
  const { lines } = await faultline(["errors", "list", project.path]);
  const [first = "", second = ""] = lines.map(({ id }) => String(id));
  for (const [verb, status] of [
    ["resolve", "resolved"],
    ["ignore", "ignored"],
    ["reopen", "unresolved"],
  ] as const) {
    const ran = await faultline(["errors", verb, project.path, first, "999999", "abc"]);
    assert.equal([ran.code, ran.lines.map((one) => [one["id"], one["status"]])], [1, [[first, status]]], verb);
    assert.is(ran.stderr, `faultline: There are no such errors in ${project.path}: 999999, abc.\n`);
  }
  const deleted = await faultline(["errors", "delete", project.path, first, "999999"]);
  assert.equal([deleted.code, deleted.lines[0]?.["deleted_count"]], [1, 1]);
  assert.match(deleted.stderr, /no such errors in .*: 999999\./);
  const gone = await faultline(["errors", "resolve", project.path, first, second]);
  assert.match(gone.stderr, new RegExp(`: ${first}\\.`), "a deleted error is not found either");
  const marked = await faultline(["notifications", "inbox", "read", "999999"]);
  assert.equal([marked.code, marked.lines[0]?.["not_found"]], [1, [999999]]);
  assert.match(marked.stderr, /There are no such entries in your inbox: 999999\./);
});

test("the token goes in the clear only within this machine, and not to a proxy; elsewhere the line speaks TLS", async () => {
  const heard: Buffer[] = [];
  const listener = createServer((socket) => {
    socket.on("error", () => undefined);
    socket.once("data", (bytes: Buffer) => {
      heard.push(bytes);
      socket.destroy();
    });
  });
  const port = await listening(listener);
  const elsewhere = { FAULTLINE_GRPC_ADDRESS: `0.0.0.0:${port}` }; // an address that is not of the loopback interface
  const refused = await faultline(["projects", "list"], { env: elsewhere });
  assert.is(refused.code, 1);
  assert.match(refused.stderr, /At an address beyond this machine it must speak TLS/);
  assert.ok(heard.length > 0);
  for (const bytes of heard) assert.is(bytes[0], 0x16, "the first byte of a TLS handshake");
  heard.length = 0;
  const around = await faultline(["projects", "list"], { env: { http_proxy: `http://127.0.0.1:${port}` } });
  assert.equal([around.code, heard.length], [0, 0], around.stderr);

  const { cert, key, certFile } = selfSigned();
  const shaken: string[] = [];
  const secure = createTlsServer({ cert, key, ALPNProtocols: ["h2"] }, (socket) => {
    shaken.push("trusted");
    socket.destroy();
  });
  secure.on("tlsClientError", () => shaken.push("not trusted"));
  const FAULTLINE_GRPC_ADDRESS = `0.0.0.0:${await listening(secure)}`;
  await faultline(["projects", "list"], { env: { FAULTLINE_GRPC_ADDRESS } });
  await faultline(["projects", "list"], { env: { FAULTLINE_GRPC_ADDRESS, FAULTLINE_GRPC_TLS_CA: certFile } });
  await program(["projects", "list"], { env: { FAULTLINE_GRPC_ADDRESS, NODE_EXTRA_CA_CERTS: certFile } });
  assert.equal([...new Set(shaken)], ["not trusted", "trusted"]);
  assert.is(shaken.at(-1), "trusted", "an authority that this machine trusts need not be named");
});

/** The free port on which a server of this test listens. */
async function listening(one: Server): Promise<number> {
  await new Promise<void>((resolve) => one.listen(0, "127.0.0.1", resolve));
  one.unref();
  atEndOf("file", () => void one.close());
  return (one.address() as AddressInfo).port; // a TCP server has one
}

test("errors are followed as they change, until the command is ended", async () => {
  const project = await createProject(server);
  const child = execFile(process.execPath, [bundle, "errors", "tail", String(project.id)], {
    cwd: repositoryRoot,
    env: { FAULTLINE_GRPC_ADDRESS: server.grpcAddress, FAULTLINE_TOKEN: rootToken },
  });
  let printed = "";
  child.stdout?.on("data", (text: string) => (printed += text));
  const ended = new Promise((resolve) => child.once("exit", (code) => resolve(code)));
  await until("a change is printed", async () => {
    await sendEvent(server, project, failing(2)); // repeated, because the command may not be watching yet
    return printed.includes("Error2: failed at 2");
  });
  child.kill("SIGINT");
  assert.is(await ended, 0);
});

/** Runs the command line with its output in a pipe, like a shell. `code` is the exit code of the command line. */
function piped(args: readonly string[], reader: string) {
  const script = `{ "$0" ${bundle} "$@"; echo $? >&3; } | ${reader}`;
  const child = spawn("sh", ["-c", script, process.execPath, ...args], {
    cwd: repositoryRoot,
    env: { PATH: process.env["PATH"], ...usual },
    stdio: ["ignore", "pipe", "pipe", "pipe"],
  });
  const texts = { stdout: "", stderr: "", code: "" };
  const [, stdout, stderr, code] = child.stdio;
  for (const [name, stream] of Object.entries({ stdout, stderr, code })) {
    (stream as Readable).setEncoding("utf8").on("data", (text: string) => (texts[name as keyof typeof texts] += text));
  }
  return new Promise<Ran>((resolve) =>
    child.once("close", () => {
      resolve({ ...texts, code: Number(texts.code), lines: jsonLines(texts.stdout) });
    }),
  );
}

test("a reader that closes the pipe ends a command quietly, as with other programs", async () => {
  const project = await createProject(server);
  for (let n = 0; n < 7; n++) assert.is((await sendEvent(server, project, failing(n))).status, 200);
  const large = { ...failing(7), extra: { text: "x".repeat(200_000) } }; // more than a pipe holds
  assert.is((await sendEvent(server, project, large)).status, 200);
  const id = String(project.id);
  for (const [args, reader, lines] of [
    [["errors", "list", id], "head -1", 1],
    [["export", id], "head -1", 1],
    [["errors", "list", id], "true", 0],
    [["projects", "list"], "true", 0],
    [["backup", join(tempDir(), "backup")], "true", 0],
  ] as const) {
    const ran = await piped(args, reader);
    const what = `${args.join(" ")} | ${reader}`;
    assert.is(ran.lines.length, lines, what);
    // Less than the pipe holds may be written before the reader goes.
    assert.ok(
      ran.code === 141 || (reader === "head -1" && args[0] === "errors" && ran.code === 0),
      `${what}: ${ran.code}`,
    );
    assert.not.match(ran.stderr, /EPIPE|\n\s+at /, what);
  }
});

test("following errors ends with its reader", async () => {
  const project = await createProject(server);
  let isOver = false;
  const ran = piped(["errors", "tail", String(project.id)], "head -1").finally(() => (isOver = true));
  await until(
    "the command ends, as its second line finds the pipe closed",
    async () => {
      await sendEvent(server, project, failing(1));
      return isOver;
    },
    { deadlineMs: 30_000 },
  );
  const { code, lines, stderr } = await ran;
  assert.is(code, 141, stderr);
  assert.is(lines.length, 1);
  assert.is(stderr, "");
});

test("settings are shown and saved, and a project made here takes events after it", async () => {
  assert.is((await faultline(["projects", "create", "cli/settings"])).code, 0);
  const never = await faultline(["settings", "show", "cli/settings"]);
  assert.is(never.code, 1);
  assert.match(never.stderr, /never been saved/);
  const set = await faultline(["settings", "set", "cli/settings", "--active", "--backend", "integrated"]);
  assert.is(set.code, 0, set.stderr);
  const [saved] = set.lines;
  const [, key = "", id] = /\/\/(\w+)@[^/]+\/(\d+)$/.exec(String(saved?.["dsn"])) ?? [];
  assert.is((await sendEvent(server, { id: Number(id), key }, failing(1))).status, 200);
  assert.equal((await faultline(["settings", "show", "cli/settings"])).lines, [saved]);
  const [off] = (await faultline(["settings", "set", "cli/settings", "--no-active"])).lines;
  assert.equal([off?.["active"], off?.["backend"]], [false, "integrated"]);
});

test("an external project is found and linked, with the auth token from the environment", async () => {
  const fake = await fakeExternal({ clock: movableClock(), organizations: [acme], projects: [shop] });
  const linking = await startServer({
    env: { FAULTLINE_OUTBOUND_NETWORKS: "127.0.0.0/8", FAULTLINE_OUTBOUND_PORTS: String(fake.port) },
  });
  try {
    const there = { FAULTLINE_GRPC_ADDRESS: linking.grpcAddress };
    const FAULTLINE_EXTERNAL_TOKEN = fake.newToken();
    const env = { ...there, FAULTLINE_EXTERNAL_TOKEN };
    const at = ["--api-url", fake.url];
    assert.is((await faultline(["projects", "create", "cli/linked"], { env })).code, 0);
    const found = await faultline(["settings", "external-projects", "cli/linked", ...at], { env });
    assert.is(found.code, 0, found.stderr);
    const { slug, organization_slug: organizationSlug } = found.lines[0] ?? {};
    assert.equal([organizationSlug, slug], [acme.slug, shop.slug]);
    const link = ["--backend", "external", "--external-project", `${String(organizationSlug)}/${String(slug)}`];
    const set = await faultline(["settings", "set", "cli/linked", "--active", ...link, ...at], { env });
    assert.is(set.code, 0, set.stderr);
    assert.equal([set.lines[0]?.["active"], set.lines[0]?.["has_token"]], [true, true]);
    assert.not.match(set.stdout, FAULTLINE_EXTERNAL_TOKEN);
    const listed = await faultline(["errors", "list", "cli/linked"], { env: there });
    assert.is(listed.code, 0, listed.stderr);
    const again = await faultline(["settings", "external-projects", "cli/linked"], { env: there });
    assert.is(again.lines.length, 1, again.stderr);
    // Only with the address that it is for: another maintainer may have stored another one.
    const alone = await faultline(["settings", "set", "cli/linked"], { env });
    assert.match(alone.stderr, /FAULTLINE_EXTERNAL_TOKEN is saved along with --api-url/);
  } finally {
    await linking.stop();
    await fake.close();
  }
});

test("if the integrated backend is not offered, a project is made, and the command says why it is not active", async () => {
  const selfManaged = await startServer({ env: { FAULTLINE_OFFERING: "self_managed" } });
  try {
    const env = { FAULTLINE_GRPC_ADDRESS: selfManaged.grpcAddress };
    const { code, lines, stderr } = await faultline(["projects", "create", "cli/own", "--active"], { env });
    assert.is(code, 1);
    assert.equal(
      lines.map(({ path }) => path),
      ["cli/own"],
    );
    assert.match(
      stderr,
      /The project cli\/own was made, but error tracking is not active in it\. The integrated backend/,
    );
    assert.match(stderr, /hosted offering only/);
    const set = await faultline(["settings", "set", "cli/own", "--backend", "integrated"], { env });
    assert.is(set.code, 1);
    assert.match(set.stderr, /hosted offering only/);
    const demo = await faultline(["demo", "--path", "cli/demo"], { env });
    assert.equal([demo.code, demo.stdout], [1, ""]);
    assert.match(demo.stderr, /hosted offering only\. No project was made\./);
    assert.equal((await faultline(["projects", "list", "--query", "cli/demo"], { env })).lines, []);
    const keys = await faultline(["keys", "list", "cli/own"], { env });
    assert.equal([keys.code, keys.stdout], [0, ""]);
    assert.match(keys.stderr, /hosted offering only, so this installation accepts no events and shows no DSN/);
  } finally {
    await selfManaged.stop();
  }
});

const faults: [what: string, args: string[], env: Environment, words: RegExp][] = [
  ["a project that is not there", ["errors", "list", "cli/none"], {}, /does not exist, or you do not have access/],
  ["no token", ["projects", "list"], { FAULTLINE_TOKEN: "" }, /FAULTLINE_TOKEN is not set/],
  ["a wrong token", ["projects", "list"], { FAULTLINE_TOKEN: "flp_wrong-token" }, /token/],
  ["no password", ["tokens", "create", "x", "--user", "root"], {}, /FAULTLINE_PASSWORD is not set/],
  ["no service", ["projects", "list"], { FAULTLINE_GRPC_ADDRESS: "127.0.0.1:1" }, /cannot be reached/],
  [
    "an authority that cannot be read",
    ["projects", "list"],
    { FAULTLINE_GRPC_TLS_CA: "/nowhere/ca.pem" },
    /FAULTLINE_GRPC_TLS_CA cannot be used: ENOENT/,
  ],
  ["no data", ["backup", "/nowhere/at/all"], { FAULTLINE_DATA_DIR: "/nowhere" }, /There is no database in \/nowhere/],
  ["no backup", ["verify", "/nowhere/at/all"], {}, /is not a complete backup/],
  ["a limit that is no number", ["errors", "list", "x", "--limit", "many"], {}, /Give a whole number from 1 on/],
  ["a token id that is no number", ["tokens", "revoke", "x"], {}, /Give a whole number from 1 on/],
  ["nothing to save", ["settings", "set", "x"], {}, /There is nothing to save. Give --active/],
  ["an unknown backend", ["settings", "set", "x", "--backend", "own"], {}, /Allowed choices are integrated, external/],
  ["no external project", ["settings", "set", "x", "--external-project", "web"], {}, /It must look like acme\/web/],
  ["an unknown status", ["errors", "list", "x", "--status", "open"], {}, /Allowed choices are unresolved/],
];
for (const [what, args, env, words] of faults) {
  test(`${what} is said on standard error, with exit code 1`, async () => {
    const { code, stdout, stderr } = await faultline(args, { env });
    assert.is(code, 1);
    assert.match(stderr, words);
    assert.is(stdout, "");
    assert.not.match(stderr, /\n\s+at /);
  });
}

test("the program says and ends with what its commands do", async () => {
  const env = { FAULTLINE_TOKEN: "flp_wrong-token" };
  for (const [args, options] of [
    [["projects", "list"], {}],
    [["projects", "list"], { env }],
    [["errors", "list", "x", "--status", "open"], {}],
  ] as const) {
    assert.equal(await program(args, options), await faultline(args, options), args.join(" "));
  }
});

test("a backup made under load holds all that was acknowledged before it, is verified, restored and read", async () => {
  const project = await createProject(server);
  const before = new Set<string>();
  let isEnough = false;
  const sending = Promise.all(
    Array.from({ length: 8 }, async (_, lane) => {
      for (let n = lane; n < 20_000; n += 8) {
        if (isEnough) return;
        const event = failing(n % 600);
        const { status } = await sendEvent(server, project, event);
        if (status === 200 && !isBackedUp()) before.add(event.event_id);
      }
    }),
  );
  const backup = join(tempDir(), "backup");
  const isBackedUp = () => existsSync(`${backup}.unfinished`) || existsSync(backup);
  await until("some events are stored", () => before.size > 200);
  const made = await program(["backup", backup]);
  isEnough = true;
  await sending;
  assert.is(made.code, 0, made.stderr);
  assert.match(made.stderr, /copied .* MB/);
  const verified = await program(["verify", backup]);
  assert.is(verified.code, 0, verified.stderr);
  assert.equal(verified.lines, made.lines);

  const dataDir = join(tempDir(), "restored");
  assert.is((await program(["restore", backup], { env: { FAULTLINE_DATA_DIR: dataDir } })).code, 0);
  const again = await faultline(["restore", backup], { env: { FAULTLINE_DATA_DIR: dataDir } });
  assert.match(again.stderr, /already exists/);
  const restored = await startServer({ dataDir });
  const other = grpcClient(restored);
  try {
    const ids = new Set<string>();
    for (const { errorId } of await storedErrors(other, project.id)) {
      for (const id of await storedEventIds(other, project.id, errorId)) ids.add(id);
    }
    assert.equal(
      [...before].filter((id) => !ids.has(id)),
      [],
    );
    const event = failing(1);
    assert.is((await sendEvent(restored, project, event)).status, 200, "its client keys work");
  } finally {
    other.close();
    await restored.stop();
  }
  assert.equal(recount(new DatabaseSync(join(dataDir, "faultline.db"), { readOnly: true })), []);
});

test("a damaged backup is found and not restored", async () => {
  const damages: [file: string, damage: (path: string) => void, words: RegExp][] = [
    ["faultline.db", (path) => appendFileSync(path, "x"), /faultline\.db has \d+ bytes/],
    ["faultline.db", (path) => truncateSync(path, 4096), /faultline\.db has 4096 bytes/],
    ["secrets.json", (path) => appendFileSync(path, " "), /secrets\.json has \d+ bytes/],
  ];
  const whole = join(tempDir(), "backup");
  assert.is((await program(["backup", whole])).code, 0);
  assert.match((await faultline(["backup", whole])).stderr, /already exists/);
  for (const [file, damage, words] of damages) {
    const backup = join(tempDir(), "backup");
    cpSync(whole, backup, { recursive: true });
    damage(join(backup, file));
    const dataDir = join(tempDir(), "restored");
    for (const { code, stderr } of [
      await faultline(["verify", backup]),
      await faultline(["restore", backup], { env: { FAULTLINE_DATA_DIR: dataDir } }),
    ]) {
      assert.is(code, 1);
      assert.match(stderr, words);
    }
    assert.not.ok(existsSync(join(dataDir, "faultline.db")));
  }
});

test("a backup is not restored when its manifest leaves a file unchecked", async () => {
  const backup = join(tempDir(), "backup");
  assert.is((await program(["backup", backup])).code, 0);
  const path = join(backup, "backup.json");
  const manifest = JSON.parse(readFileSync(path, "utf8")) as { files: { name: string }[] };
  const dataDir = join(tempDir(), "restored");
  for (const [left, words] of [
    [[], /has no checksum of faultline\.db and secrets\.json/],
    [["faultline.db", "faultline.db"], /has no checksum of secrets\.json/],
    [[null], /created by another release/],
  ] as const) {
    const files = left.map((name) => manifest.files.find((file) => file.name === name) ?? null);
    writeFileSync(path, JSON.stringify({ ...manifest, files }));
    for (const { code, stderr } of [
      await faultline(["verify", backup]),
      await faultline(["restore", backup], { env: { FAULTLINE_DATA_DIR: dataDir } }),
    ]) {
      assert.is(code, 1);
      assert.match(stderr, words);
    }
  }
  assert.not.ok(existsSync(dataDir));
});

test("a backup is not written into a directory that somebody else made at that moment", async () => {
  const backup = join(tempDir(), "backup");
  // Plays the other user, who makes the directory between the removal of an old one and the making of ours.
  const otherUser = `
    import fs from "node:fs";
    import { syncBuiltinESMExports } from "node:module";
    const { rmSync } = fs;
    fs.rmSync = (path, options) => {
      rmSync(path, options);
      if (path.endsWith(".unfinished")) fs.mkdirSync(path, { mode: 0o777 });
    };
    syncBuiltinESMExports();`;
  const NODE_OPTIONS = `--import=data:text/javascript,${encodeURIComponent(otherUser)}`;
  const { code, stderr } = await program(["backup", backup], { env: { NODE_OPTIONS } });
  assert.is(code, 1, stderr);
  assert.match(stderr, /backup\.unfinished, which .* cannot be created: EEXIST/);
  assert.equal(readdirSync(`${backup}.unfinished`), []);
  assert.not.ok(existsSync(backup));
});

test("quotas are shown and set, for one project and for all without their own", async () => {
  const project = await createProject(server);
  const set = await faultline(["quota", "set", project.path, "--day", "5GB", "--kept", "none"]);
  assert.is(set.code, 0, set.stderr);
  assert.match(set.stdout, /"day_limit_bytes":5000000000/);
  const shown = await faultline(["quota", "show", String(project.id)]);
  assert.match(shown.stdout, /"kept_limit_is_default":false/);
  const back = await faultline(["quota", "set", project.path, "--day", "default"]);
  assert.match(back.stdout, /"day_limit_is_default":true/);
  const ofAll = await faultline(["quota", "set", "--kept", "20GB"]);
  assert.match(ofAll.stdout, /"kept_limit_bytes":20000000000/);
  assert.match((await faultline(["quota", "set", "--kept", "default"])).stdout, /"kept_limit_is_default":true/);
  assert.match((await faultline(["quota", "list"])).stdout, `"path_with_namespace":"${project.path}"`);
  for (const [args, words] of [
    [["set"], "There is nothing to save"],
    [["set", "--kept", "-5"], "whole number of bytes"],
    [["set", "--kept", "1.5GB"], "whole number of bytes"],
    [["set", "--kept", "500"], "1 MB"],
  ] as const) {
    const { code, stderr } = await faultline(["quota", ...args]);
    assert.is(code, 1, stderr);
    assert.match(stderr, words);
  }
});

test("an export under load is imported elsewhere with the same errors, counts, statuses and times", async () => {
  const project = await createProject(server);
  for (let n = 0; n < 120; n++) assert.is((await sendEvent(server, project, failing(n))).status, 200);
  const [first, second] = await storedErrors(client, project.id);
  const feedback = [
    { projectId: project.id, sentId: newEventId(), comments: "Where is the invoice?", release: "shop@1" },
    { projectId: project.id, eventId: newEventId(), comments: "It broke.", name: "Ann" },
  ];
  await client.ingest.reportFeedback({ feedback }, client.auth);
  const changes = [
    { errorId: first?.errorId ?? "", status: ErrorStatus.RESOLVED },
    { errorId: second?.errorId ?? "", status: ErrorStatus.IGNORED },
  ];
  await client.errors.updateErrors({ projectId: project.id, changes }, client.auth);
  const other = await createProject(server);
  const busy = Promise.all(Array.from({ length: 50 }, (_, n) => sendEvent(server, other, failing(n))));
  const { code, stdout, stderr } = await program(["export", String(project.id)]);
  await busy;
  assert.is(code, 0, stderr);
  assert.match(stderr, /exported 120 events/);

  const target = await createProject(server);
  for (const _ of ["first", "again"]) {
    const imported = await program(["import", String(target.id)], { input: stdout });
    assert.is(imported.code, 0, imported.stderr);
  }
  const shown = async (projectId: number) =>
    (await storedErrors(client, projectId))
      .map(
        (error) =>
          [
            error.title,
            error.status,
            error.eventCount,
            error.affectedUserCount,
            error.level,
            error.firstSeenTime,
            error.lastSeenTime,
            error.firstRelease,
            error.hourlyCounts,
          ] as const,
      )
      .toSorted((a, b) => (a[0] < b[0] ? -1 : 1));
  assert.equal(await shown(target.id), await shown(project.id));
  const { feedback: written } = await client.errors.listFeedback({ projectId: target.id }, client.auth);
  assert.equal(
    written.map((entry) => [entry.eventId, entry.comments, entry.name, entry.release]).toSorted(),
    feedback
      .map(({ eventId = "", comments, name = "", release = "" }) => [eventId, comments, name, release])
      .toSorted(),
  );
  const wrong = await program(["import", String(target.id)], { input: "no line\n" });
  assert.match(wrong.stderr, /Line 1 is not part of an export/);
});

test("the key file of a backup is the owner's alone", async () => {
  const backup = join(tempDir(), "backup");
  await program(["backup", backup]);
  assert.ok(readFileSync(join(backup, "secrets.json"), "utf8").includes("pepper"));
  const { statSync } = await import("node:fs");
  for (const file of ["", "secrets.json", "faultline.db", "backup.json"]) {
    assert.is(statSync(join(backup, file)).mode & 0o077, 0, file);
  }
});

test.run();
