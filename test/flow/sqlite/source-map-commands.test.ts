import { randomBytes, randomUUID } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Role } from "@faultline/proto";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { newMember, personPassword } from "../../support/core/person.ts";
import { createProject, type Project } from "../../support/core/project.ts";
import { newEventId, sendEvent } from "../../support/sentry/send.ts";
import { commandHere, type Environment } from "../../support/service/command-line.ts";
import { sharedServer } from "../../support/service/flow.ts";
import { rootToken } from "../../support/service/server.ts";
import { tempDir } from "../../support/service/temp-dir.ts";
import { builtCheckout, type Built } from "../../support/source-maps/built.ts";

const { server, client } = await sharedServer();
const usual: Environment = { FAULTLINE_GRPC_ADDRESS: server.grpcAddress, FAULTLINE_TOKEN: rootToken };

/** Runs `faultline sourcemaps ...` with the administrator's token, or another. */
const sourcemaps = (args: readonly string[], env: Environment = {}) =>
  commandHere(["sourcemaps", ...args], { ...usual, ...env });

let project: Project;
test.before.each(async () => {
  project = await createProject(server);
});

/** The environment of a build, with a token of the scope upload in the spelling of Sentry's tools. */
async function ofBuild(): Promise<Environment> {
  const { username } = await newMember(client, project.id, Role.DEVELOPER);
  const named = ["--user", username, "--scope", "upload", "--organization", "-"];
  const env = { FAULTLINE_PASSWORD: personPassword };
  const { lines, stderr } = await commandHere(["tokens", "create", "build", ...named], { ...usual, ...env });
  assert.match(String(lines[0]?.["sentry_token"]), /^sntrys_/, stderr);
  return { FAULTLINE_TOKEN: String(lines[0]?.["sentry_token"]) };
}

/** A folder with a build, and others of its files. */
function folderOf({ code, map }: Built, others: Readonly<Record<string, string>> = {}): string {
  const folder = tempDir();
  mkdirSync(join(folder, "assets"));
  for (const [path, text] of Object.entries({ "assets/app.js": code, "assets/app.js.map": map, ...others })) {
    writeFileSync(join(folder, path), text);
  }
  return folder;
}

const address = "https://shop.example.com/assets/app.js";

async function sendThrown({ thrownAt }: Built, debugId: string): Promise<string> {
  const event_id = newEventId();
  const frames = [{ function: "t", filename: address, abs_path: address, in_app: true, ...thrownAt }];
  const answer = await sendEvent(server, project, {
    event_id,
    platform: "javascript",
    debug_meta: { images: [{ type: "sourcemap", code_file: address, debug_id: debugId }] },
    exception: { values: [{ type: "Error", value: "negative total", stacktrace: { frames } }] },
  });
  assert.is(answer.status, 200, answer.text);
  return event_id;
}

test("a build is checked, uploaded with a token that reads nothing, listed, and its frames are explained", async () => {
  const debugId = randomUUID();
  const built = await builtCheckout({ debugId });
  const large = `/* ${randomBytes(800_000).toString("hex")} */\n`; // more than a chunk, compressed
  const folder = folderOf(built, { "assets/large.js": large, "assets/app.css": "a{}" });
  const unknown = await sendThrown(built, randomUUID());
  const before = await sourcemaps(["explain", project.path, unknown]);
  assert.is(before.code, 0);
  assert.match(before.stdout, /"verdict":"nothing_uploaded"/);

  const checked = await sourcemaps(["check", folder], { FAULTLINE_TOKEN: "" });
  assert.is(checked.code, 0, checked.stderr);
  assert.equal(
    checked.lines.map(({ path, verdict, debug_ids }) => [path, verdict, debug_ids]),
    [
      ["assets/app.js", "will_match", [debugId]],
      ["assets/large.js", "needs_no_map", []],
    ],
  );

  const env = await ofBuild();
  for (const _ of ["first", "again"]) {
    const { code, lines, stderr } = await sourcemaps(["upload", project.path, folder], env);
    assert.is(code, 0, stderr);
    const [{ state, file_count, mapped_file_count, warnings } = {}] = lines;
    assert.equal([state, file_count, mapped_file_count, warnings], ["ok", 3, 1, []]);
  }
  assert.is((await sourcemaps(["list", project.path])).lines.length, 1);
  assert.match((await sourcemaps(["list", project.path], env)).stderr, /lacks the scope/);

  const explained = async (eventId: string) => (await sourcemaps(["explain", project.path, eventId])).lines;
  const [mapped] = await explained(await sendThrown(built, debugId));
  assert.equal(mapped, {
    of: "Error",
    function: "totalOf",
    file: "src/checkout.ts",
    line: 3,
    column: mapped?.["column"],
    verdict: "mapped",
    cause: "",
    next_step: "",
  });
  const [other] = await explained(unknown);
  assert.is(other?.["verdict"], "id_unknown");
  assert.match(
    String(other?.["cause"]),
    /this project has no upload for [^:]*: it was not uploaded to this project, or was deleted/,
  );
  assert.match(String(other?.["next_step"]), /Upload the files of exactly this build/);
});

test("a build without ids fails its check; its upload for no release fails with the cause, which the list keeps", async () => {
  const folder = folderOf(await builtCheckout());
  const checked = await sourcemaps(["check", folder]);
  assert.equal([checked.code, checked.lines[0]?.["verdict"]], [1, "will_not_match"]);
  assert.match(checked.stderr, /1 of 1 files will not match/);
  const env = await ofBuild();
  const failed = await sourcemaps(["upload", String(project.id), folder], env);
  assert.is(failed.code, 1);
  assert.match(failed.stderr, /neither debug ids nor a release/);
  const [listed] = (await sourcemaps(["list", project.path])).lines;
  assert.is(listed?.["state"], "error");
  assert.match(String(listed?.["detail"]), /neither debug ids nor a release/);

  const named = ["--release", "shop@1.2.0", "--dist", "web", "--url-prefix", "~/shop"];
  assert.is((await sourcemaps(["check", folder, "--release", "shop@1.2.0"])).code, 0);
  const uploaded = await sourcemaps(["upload", project.path, folder, ...named], env);
  assert.equal([uploaded.code, uploaded.lines[0]?.["dist"]], [0, "web"], uploaded.stderr);
  assert.is((await sourcemaps(["list", project.path, "--release", "shop@1.2.0"])).lines.length, 1);
});

const faults: [what: string, args: readonly string[], words: RegExp][] = [
  ["a folder that is not there", ["check", "/nowhere/at/all"], /cannot be read: ENOENT/],
  ["a folder without scripts", ["check", tempDir()], /has no script and no source map/],
  ["a project that is not there", ["upload", "none/at-all", folderOf(await builtCheckout())], /does not exist/],
];
for (const [what, args, words] of faults) {
  test(`${what} is reported on standard error, with exit code 1`, async () => {
    const { code, stdout, stderr } = await sourcemaps(args);
    assert.equal([code, stdout], [1, ""]);
    assert.match(stderr, words);
    assert.not.match(stderr, /\n\s+at /);
  });
}

test.run();
