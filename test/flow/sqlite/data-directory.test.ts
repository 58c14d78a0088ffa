import { createHash } from "node:crypto";
import { chmodSync, chownSync, copyFileSync, cpSync, readFileSync, writeFileSync } from "node:fs";
import { userInfo } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { commandHere } from "../../support/service/command-line.ts";
import { createProject } from "../../support/core/project.ts";
import { launch, startServer } from "../../support/service/server.ts";
import { tempDir } from "../../support/service/temp-dir.ts";

/** A data directory that was in use and has a client key. */
const used = await usedDataDir();

async function usedDataDir(): Promise<string> {
  const server = await startServer();
  await createProject(server);
  await server.stop();
  return server.dataDir;
}

function copyOf(directory: string): string {
  const copy = tempDir();
  cpSync(directory, copy, { recursive: true });
  return copy;
}

/** The one sentence of a start that must fail. */
async function refusedStart(dataDir: string): Promise<string> {
  const { ended, output } = launch({ dataDir });
  assert.is(await ended, 1, output());
  assert.is(output().trim().split("\n").length, 1, output());
  return output();
}

/** Takes out what this release notes in the database, so that it is as a release before left it. */
function forgetKeysDigest(dataDir: string): void {
  using database = new DatabaseSync(join(dataDir, "faultline.db"));
  database.exec("drop table if exists faultline");
}

const notItsKeys = /The key file \S+secrets\.json does not belong to the database \S+faultline\.db/;

test("another installation's key file is refused by the start, a backup, its verification and a move", async () => {
  const foreign = join(await usedDataDir(), "secrets.json");
  const dataDir = copyOf(used);
  const backup = join(tempDir(), "backup");
  const command = (...args: string[]) => commandHere(args, { FAULTLINE_DATA_DIR: dataDir });
  assert.is((await command("backup", backup)).code, 0);
  copyFileSync(foreign, join(dataDir, "secrets.json"));
  assert.match(await refusedStart(dataDir), notItsKeys);
  assert.match((await command("backup", join(tempDir(), "backup"))).stderr, /does not belong to the database/);
  const moved = await command("move", "--to", "postgres://127.0.0.1:1/faultline");
  assert.match(moved.stderr, notItsKeys);

  const keys = readFileSync(foreign);
  const manifest = join(backup, "backup.json");
  const { files, ...rest } = JSON.parse(readFileSync(manifest, "utf8")) as { files: { name: string }[] };
  const described = {
    name: "secrets.json",
    bytes: keys.length,
    sha256: createHash("sha256").update(keys).digest("hex"),
  };
  const others = files.filter(({ name }) => name !== described.name);
  writeFileSync(manifest, JSON.stringify({ ...rest, files: [...others, described] }));
  copyFileSync(foreign, join(backup, "secrets.json"));
  assert.match((await command("verify", backup)).stderr, /secrets\.json does not belong to the database/);

  forgetKeysDigest(dataDir);
  assert.match(await refusedStart(dataDir), notItsKeys);
  copyFileSync(join(used, "secrets.json"), join(dataDir, "secrets.json"));
  await (await startServer({ dataDir })).stop();
});

test("a key file from before a rotation is refused", async () => {
  const dataDir = copyOf(used);
  using database = new DatabaseSync(join(dataDir, "faultline.db"));
  database.exec("update client_key set sealed_pair = replace(sealed_pair, 'v1.1.', 'v1.2.')");
  database.close();
  assert.match(await refusedStart(dataDir), notItsKeys);
});

/** Another user of the machine. Root can start the service as this user. */
const nobody = 65_534;

/** Starts the service as a user who does not own its files. Only root can do this. */
const asRoot = process.getuid?.() === 0 ? test : test.skip;

asRoot("a file of another user is refused by name, with the command that gives it to the service", async () => {
  const prelude = `exec setpriv --reuid ${nobody} --regid ${nobody} --clear-groups "$0" "$@"`;
  for (const name of ["faultline.db", "secrets.json", "lock"]) {
    const dataDir = copyOf(used);
    for (const path of ["", "faultline.db", "lock", "secrets.json"]) chownSync(join(dataDir, path), nobody, nobody);
    chownSync(join(dataDir, name), 0, 0);
    const { ended, output } = launch({ dataDir, prelude });
    assert.is(await ended, 1, output());
    const verb = name === "secrets.json" ? "read" : "written";
    assert.match(
      output(),
      new RegExp(`^Faultline cannot start\\. The file ${dataDir}/${name} cannot be ${verb}\\. It belongs`),
    );
    assert.match(output(), `and Faultline runs as nobody. Run: chown -R nobody ${dataDir}`);
    assert.is(output().trim().split("\n").length, 1, output());
  }
});

test("a key file that others can read gets a warning, and the owner's alone none", async () => {
  const dataDir = copyOf(used);
  for (const [mode, isWarned] of [
    [0o644, true],
    [0o440, false],
    [0o600, false],
  ] as const) {
    chmodSync(join(dataDir, "secrets.json"), mode);
    const server = await startServer({ dataDir });
    await server.stop();
    assert.is(server.output().includes("other users of this machine can read or change the key file"), isWarned);
  }
});

test("a restore names the owner of the files", async () => {
  const backup = join(tempDir(), "backup");
  const dataDir = join(tempDir(), "restored");
  assert.is((await commandHere(["backup", backup], { FAULTLINE_DATA_DIR: used })).code, 0);
  const { stderr } = await commandHere(["restore", backup], { FAULTLINE_DATA_DIR: dataDir });
  assert.match(stderr, `The files in ${dataDir} belong to ${userInfo().username}.`);
});

test("a place where the system makes no directory is refused, for data and for backups", async () => {
  if (process.platform !== "linux") return;
  for (const path of ["/proc/x", "/proc/x/y"]) {
    assert.match(await refusedStart(path), `The data directory ${path} cannot be created`);
    const { code, stderr } = await commandHere(["backup", join(path, "backup")], { FAULTLINE_DATA_DIR: used });
    assert.is(code, 1);
    assert.match(stderr, /cannot be created: ENOENT/);
  }
});

test.run();
