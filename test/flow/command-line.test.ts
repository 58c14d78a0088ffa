import { execFile, type ExecFileException } from "node:child_process";
import { appendFileSync, existsSync, readFileSync, truncateSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { ErrorStatus } from "@faultline/proto";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { runningServer } from "../support/flow.ts";
import { grpcClient } from "../support/grpc.ts";
import { createProject } from "../support/project.ts";
import { recount } from "../support/recount.ts";
import { newEventId, sendEvent } from "../support/send.ts";
import { repositoryRoot, rootPassword, rootToken, startServer } from "../support/server.ts";
import { storedErrors, storedEventIds } from "../support/stored.ts";
import { tempDir } from "../support/temp-dir.ts";
import { until } from "../support/until.ts";

const { server, client } = await runningServer();

interface Ran {
  readonly code: number;
  /** The lines of standard output, parsed. */
  readonly lines: readonly Record<string, unknown>[];
  readonly stdout: string;
  readonly stderr: string;
}

type Environment = Readonly<Record<string, string>>;

/** Runs the command line as a person would, with the administrator's token unless `env` says otherwise. */
function faultline(args: readonly string[], { env = {}, input = "" }: { env?: Environment; input?: string } = {}) {
  return new Promise<Ran>((resolve) => {
    const child = execFile(
      process.execPath,
      ["backend/src/cli/faultline.ts", ...args],
      {
        cwd: repositoryRoot,
        maxBuffer: 256 * 1024 * 1024,
        env: {
          NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"],
          FAULTLINE_GRPC_ADDRESS: server.grpcAddress,
          FAULTLINE_DATA_DIR: server.dataDir,
          FAULTLINE_TOKEN: rootToken,
          ...env,
        },
      },
      (error: ExecFileException | null, stdout, stderr) => {
        const lines = stdout.split("\n").filter((line) => line !== "");
        resolve({
          code: typeof error?.code === "number" ? error.code : error ? -1 : 0,
          lines: lines.flatMap((line) => (line.startsWith("{") ? [JSON.parse(line) as Record<string, unknown>] : [])),
          stdout,
          stderr,
        });
      },
    );
    child.stdin?.end(input);
  });
}

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

test("projects, keys and tokens are made, and an error is listed, shown and resolved", async () => {
  const made = await faultline(["projects", "create", "cli/shop", "--active"]);
  assert.is(made.code, 0, made.stderr);
  const [project, settings] = made.lines;
  assert.is(project?.["path"], "cli/shop");
  const [, key = ""] = /\/\/(\w+)@/.exec(String(settings?.["dsn"])) ?? [];
  const id = Number(project?.["projectId"]);
  assert.is((await sendEvent(server, { id, key }, failing(1))).status, 200);

  const listed = await faultline(["errors", "list", "cli/shop"]);
  assert.equal(
    listed.lines.map((error) => error["title"]),
    ["Error1: failed at 1"],
  );
  const errorId = String(listed.lines[0]?.["errorId"]);
  const shown = await faultline(["errors", "show", String(id), errorId]);
  assert.is(shown.lines[0]?.["release"], "shop@1.2.3");
  const resolved = await faultline(["errors", "resolve", "cli/shop", errorId]);
  assert.is(resolved.lines[0]?.["status"], "ERROR_STATUS_RESOLVED");
  assert.equal((await faultline(["errors", "list", "cli/shop"])).lines, []);
  assert.is((await faultline(["errors", "list", "cli/shop", "--status", "resolved"])).lines.length, 1);

  const { lines: keys } = await faultline(["keys", "create", "cli/shop"]);
  assert.match(String(keys[0]?.["dsn"]), /^http:\/\/\w+@127\.0\.0\.1:\d+\/\d+$/);
  assert.is((await faultline(["keys", "list", "cli/shop"])).lines.length, 2);
  assert.is((await faultline(["keys", "delete", "cli/shop", String(keys[0]?.["keyId"])])).code, 0);
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
    listedKeys.map(({ publicKey, dsn, legacyDsn }) => [publicKey, dsn, legacyDsn]),
    [["", "", ""]],
  );
  const writing = await faultline(["projects", "create", "cli/other"], { env: { FAULTLINE_TOKEN } });
  assert.is(writing.code, 1);
  assert.match(writing.stderr, /lacks the scope api/);
});

test("errors are followed as they change, until the command is ended", async () => {
  const project = await createProject(server);
  const child = execFile(process.execPath, ["backend/src/cli/faultline.ts", "errors", "tail", String(project.id)], {
    cwd: repositoryRoot,
    env: { FAULTLINE_GRPC_ADDRESS: server.grpcAddress, FAULTLINE_TOKEN: rootToken },
  });
  let told = "";
  child.stdout?.on("data", (text: string) => (told += text));
  const ended = new Promise((resolve) => child.once("exit", (code) => resolve(code)));
  await until("a change is told", async () => {
    await sendEvent(server, project, failing(2)); // again, as the command may not be watching yet
    return told.includes("Error2: failed at 2");
  });
  child.kill("SIGINT");
  assert.is(await ended, 0);
});

const faults: [what: string, args: string[], env: Environment, told: RegExp][] = [
  ["a project that is not there", ["errors", "list", "cli/none"], {}, /does not exist, or you do not have access/],
  ["no token", ["projects", "list"], { FAULTLINE_TOKEN: "" }, /FAULTLINE_TOKEN is not set/],
  ["a wrong token", ["projects", "list"], { FAULTLINE_TOKEN: "flp_wrong-token" }, /token/],
  ["no password", ["tokens", "create", "x", "--user", "root"], {}, /FAULTLINE_PASSWORD is not set/],
  ["no service", ["projects", "list"], { FAULTLINE_GRPC_ADDRESS: "127.0.0.1:1" }, /cannot be reached/],
  ["no data", ["backup", "/nowhere/at/all"], { FAULTLINE_DATA_DIR: "/nowhere" }, /There is no database in \/nowhere/],
  ["no backup", ["verify", "/nowhere/at/all"], {}, /is no backup/],
  ["a limit that is no number", ["errors", "list", "x", "--limit", "many"], {}, /A whole number from 1 on is wanted/],
  ["a token id that is no number", ["tokens", "revoke", "x"], {}, /A whole number from 1 on is wanted/],
  ["an unknown status", ["errors", "list", "x", "--status", "open"], {}, /Allowed choices are unresolved/],
];
for (const [what, args, env, told] of faults) {
  test(`${what} is said on standard error, with exit code 1`, async () => {
    const { code, stdout, stderr } = await faultline(args, { env });
    assert.is(code, 1);
    assert.match(stderr, told);
    assert.is(stdout, "");
    assert.not.match(stderr, /\n\s+at /);
  });
}

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
  const made = await faultline(["backup", backup]);
  isEnough = true;
  await sending;
  assert.is(made.code, 0, made.stderr);
  assert.match(made.stderr, /copied .* MB/);
  const verified = await faultline(["verify", backup]);
  assert.is(verified.code, 0, verified.stderr);
  assert.equal(verified.lines, made.lines);

  const dataDir = join(tempDir(), "restored");
  assert.is((await faultline(["restore", backup], { env: { FAULTLINE_DATA_DIR: dataDir } })).code, 0);
  const again = await faultline(["restore", backup], { env: { FAULTLINE_DATA_DIR: dataDir } });
  assert.match(again.stderr, /exists already/);
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
  const damages: [file: string, damage: (path: string) => void, told: RegExp][] = [
    ["faultline.db", (path) => appendFileSync(path, "x"), /faultline\.db has \d+ bytes/],
    ["faultline.db", (path) => truncateSync(path, 4096), /faultline\.db has 4096 bytes/],
    ["secrets.json", (path) => appendFileSync(path, " "), /secrets\.json has \d+ bytes/],
  ];
  for (const [file, damage, told] of damages) {
    const backup = join(tempDir(), "backup");
    assert.is((await faultline(["backup", backup])).code, 0);
    assert.match((await faultline(["backup", backup])).stderr, /exists already/);
    damage(join(backup, file));
    const dataDir = join(tempDir(), "restored");
    for (const { code, stderr } of [
      await faultline(["verify", backup]),
      await faultline(["restore", backup], { env: { FAULTLINE_DATA_DIR: dataDir } }),
    ]) {
      assert.is(code, 1);
      assert.match(stderr, told);
    }
    assert.not.ok(existsSync(join(dataDir, "faultline.db")));
  }
});

test("what was exported under load is imported elsewhere with the same errors, counts, statuses and times", async () => {
  const project = await createProject(server);
  for (let n = 0; n < 120; n++) assert.is((await sendEvent(server, project, failing(n))).status, 200);
  const [first, second] = await storedErrors(client, project.id);
  const changes = [
    { errorId: first?.errorId ?? "", status: ErrorStatus.RESOLVED },
    { errorId: second?.errorId ?? "", status: ErrorStatus.IGNORED },
  ];
  await client.errors.updateErrors({ projectId: project.id, changes }, client.auth);
  const other = await createProject(server);
  const busy = Promise.all(Array.from({ length: 50 }, (_, n) => sendEvent(server, other, failing(n))));
  const { code, stdout, stderr } = await faultline(["export", String(project.id)]);
  await busy;
  assert.is(code, 0, stderr);
  assert.match(stderr, /exported 120 events/);

  const target = await createProject(server);
  for (const _ of ["first", "again"]) {
    const imported = await faultline(["import", String(target.id)], { input: stdout });
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
  const wrong = await faultline(["import", String(target.id)], { input: "no line\n" });
  assert.match(wrong.stderr, /Line 1 is none of an export/);
});

test("the key file of a backup is the owner's alone", async () => {
  const backup = join(tempDir(), "backup");
  await faultline(["backup", backup]);
  assert.ok(readFileSync(join(backup, "secrets.json"), "utf8").includes("pepper"));
  const { statSync } = await import("node:fs");
  for (const file of ["", "secrets.json", "faultline.db", "backup.json"]) {
    assert.is(statSync(join(backup, file)).mode & 0o077, 0, file);
  }
});

test.run();
