import { execFile } from "node:child_process";
import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { createProject, type Project } from "../../support/core/project.ts";
import { rest } from "../../support/rest/rest.ts";
import { newEventId, sendEvent } from "../../support/sentry/send.ts";
import { commandHere, type Environment } from "../../support/service/command-line.ts";
import { sharedServer } from "../../support/service/flow.ts";
import { bundle, rootPassword, rootToken } from "../../support/service/server.ts";
import { tempDir } from "../../support/service/temp-dir.ts";
import { until } from "../../support/run/until.ts";

/** The output of commands for programs and for people, the token that they use, and completion in shells. */

const { server } = await sharedServer();
const usual: Environment = { FAULTLINE_GRPC_ADDRESS: server.grpcAddress, FAULTLINE_TOKEN: rootToken };

const faultline = (args: readonly string[], env: Environment = {}) => commandHere(args, { ...usual, ...env });

/** The same at a terminal. */
const shown = (args: readonly string[], columns = 100) => commandHere(args, usual, { terminal: { columns } });

let project: Project;
test.before.each(async () => {
  project = await createProject(server);
});

const fail = (type: string) =>
  sendEvent(server, project, { event_id: newEventId(), exception: { values: [{ type, value: "it failed" }] } });

test("a command prints the body that REST answers, one entry of a list a line", async () => {
  for (const type of ["Alpha", "Beta"]) await fail(type);
  const path = `/projects/${project.id}`;
  const tracked = `${path}/error_tracking`;
  const [{ id }] = (await rest(server, `GET ${tracked}/errors`)).json as [{ id: string }];
  const named = project.path;
  for (const [args, call] of [
    [["errors", "list", named], `GET ${tracked}/errors`],
    [["errors", "get", named, id], `GET ${tracked}/errors/${id}`],
    [["errors", "show", named, id], `GET ${tracked}/errors/${id}/events/latest`],
    [["errors", "events", named, id], `GET ${tracked}/errors/${id}/events`],
    [["keys", "list", named], `GET ${tracked}/client_keys`],
    [["projects", "show", String(project.id)], `GET ${path}`],
    [["settings", "show", named], `GET ${tracked}/settings`],
    [["filters", "show", named], `GET ${tracked}/filters`],
    [["quota", "show", named], `GET ${tracked}/quota`],
    [["members", "list", named], `GET ${path}/members`],
    [["searches", "list", named], `GET ${tracked}/saved_searches`],
    [["notifications", "maintenance", "show", named], `GET ${tracked}/notification_maintenance`],
    [["trackers", "kinds"], "GET /issue_tracker_kinds"],
    [["users", "current"], "GET /user"],
  ] as const) {
    const { stdout, stderr } = await faultline(args);
    const { json } = await rest(server, call);
    const lines = Array.isArray(json) ? (json as unknown[]) : [json];
    assert.is(stdout, lines.map((line) => `${JSON.stringify(line)}\n`).join(""), `${args.join(" ")}: ${stderr}`);
  }
});

test("a method that REST has no operation for answers in the same manner", async () => {
  const { lines, stderr } = await faultline(["errors", "count", project.path, "--status", "unresolved"]);
  assert.equal(lines, [{ count: 0, last_error_id: "0" }], stderr);
  const health = await faultline(["instance", "health"]);
  assert.is(health.code, 0, health.stderr);
  assert.not.match(health.stdout, /_UNSPECIFIED|[a-z][A-Z]\w*":/);
  const wrong = await faultline(["errors", "update-matching", project.path, "resolved", "many"]);
  assert.equal([wrong.code, wrong.stderr], [1, "faultline: --expected-count is invalid.\n"]);
});

test("at a terminal a list is a table of its width, and JSON with --json", async () => {
  await fail("Alpha");
  for (const columns of [50, 80]) {
    const { stdout, stderr } = await shown(["errors", "list", project.path], columns);
    const [head = "", row = "", ...more] = stdout.split("\n");
    assert.match(head, /^id +title +status +count/, stderr);
    assert.match(row, /^\d+ +Alpha: it failed +unresolved +1/);
    assert.equal(more, [""]);
    for (const line of [head, row]) assert.ok(line.length <= columns, line);
  }
  const wide = await shown(["errors", "list", project.path], 200);
  assert.match(wide.stdout, /Alpha: it failed .* \d{4}-\d\d-\d\d \d\d:\d\d +error\n$/);
  const [line] = (await shown(["errors", "list", project.path, "--json"])).lines;
  assert.is(line?.["title"], "Alpha: it failed");
  const object = await shown(["projects", "show", project.path]);
  assert.match(object.stdout, new RegExp(`^id +${project.id}\\n`));
  assert.match(object.stdout, /\nname +\S/);
  assert.is((await shown(["searches", "list", project.path])).stdout, "");
});

test("a list that was cut says so on standard error, with the whole number where it is known", async () => {
  const types = ["Alpha", "Beta", "Gamma"];
  for (const type of types) await fail(type);
  const some = await faultline(["errors", "list", project.path, "--limit", "2"]);
  assert.equal(
    [some.lines.length, some.stderr],
    [2, "Showing the first 2. There are more. Add --all or --limit 4 to see more.\n"],
  );
  for (const more of [["--limit", "3"], ["--all"], []]) {
    const { lines, stderr } = await faultline(["errors", "list", project.path, ...more]);
    assert.equal([lines.length, stderr], [3, ""], more.join(" "));
  }
  for (const _ of "123") await faultline(["keys", "create", project.path]);
  const { length } = (await faultline(["keys", "list", project.path])).lines;
  const keys = await shown(["keys", "list", project.path, "--limit", "2"]);
  assert.is(keys.stderr, `Showing 2 of ${length}. Add --all or --limit 4 to see more.\n`);
  assert.is(keys.stdout.split("\n").length, 4, "a head, two keys and the end");
});

test("auth status says for whom the token speaks, and fails where it speaks for nobody", async () => {
  const { code, lines, stdout } = await faultline(["auth", "status"]);
  const { token_name: _, last_used_at: __, ...status } = lines[0] ?? {};
  assert.equal(
    [code, status],
    [0, { service: server.grpcAddress, username: "root", scopes: ["api"], expires_at: null }],
  );
  assert.not.match(stdout, rootToken);
  const env = { FAULTLINE_PASSWORD: rootPassword };
  const made = await faultline(["tokens", "create", "build", "--user", "root", "--scope", "upload"], env);
  const ofBuild = await faultline(["auth", "status"], { FAULTLINE_TOKEN: String(made.lines[0]?.["token"]) });
  assert.equal([ofBuild.code, ofBuild.lines[0]?.["scopes"]], [0, ["upload"]], ofBuild.stderr);
  for (const [token, words] of [
    ["", /^faultline: FAULTLINE_TOKEN is not set\./],
    ["flp_nobodys-token", /^faultline: .* refuses the token in FAULTLINE_TOKEN\. /],
  ] as const) {
    const refused = await faultline(["auth", "status"], { FAULTLINE_TOKEN: token });
    assert.equal([refused.code, refused.stdout], [1, ""]);
    assert.match(refused.stderr, words);
    assert.not.match(refused.stderr, /nobodys/);
  }
});

test("a stream is followed until its command ends", async () => {
  const ended = commandHere(["outcomes", "watch-refusals", project.path], usual);
  const wrong = { ...project, key: "0".repeat(32) };
  let isOver = false;
  void ended.finally(() => (isOver = true));
  await until("a refusal is printed", async () => {
    await sendEvent(server, wrong, { event_id: newEventId(), message: "refused" });
    process.emit("SIGINT");
    return isOver;
  });
  assert.is((await ended).code, 0, (await ended).stderr);
});

/** A directory with the program under its name. */
function programDirectory(): string {
  const directory = tempDir();
  const file = join(directory, "faultline");
  writeFileSync(file, `#!/bin/sh\nexec "${process.execPath}" "${bundle}" "$@"\n`);
  chmodSync(file, 0o755);
  return directory;
}

test("bash completes commands, flags and words by the script that the program prints", async () => {
  const PATH = `${programDirectory()}:${process.env["PATH"]}`;
  const run = promisify(execFile);
  const completed = async (line: string) => {
    const script = `
      source <(faultline completion bash)
      COMP_LINE="$1"; COMP_POINT=\${#1}
      read -ra COMP_WORDS <<< "$1"
      [[ "$1" == *" " ]] && COMP_WORDS+=("")
      COMP_CWORD=$((\${#COMP_WORDS[@]} - 1))
      complete=$(complete -p faultline); complete=\${complete##*-F }; \${complete%% *}
      printf '%s\\n' "\${COMPREPLY[@]}"`;
    const { stdout } = await run("bash", ["-c", script, "bash", line], { env: { PATH } });
    return stdout
      .split("\n")
      .filter((one) => one !== "")
      .map((one) => one.trim().split(/\s/)[0]);
  };
  assert.equal(await completed("faultline key"), ["keys"]);
  assert.equal(await completed("faultline keys tr"), ["traffic"]);
  assert.equal(await completed("faultline errors list acme/web --sta"), ["--status"]);
  assert.equal(await completed("faultline errors list acme/web --status "), [
    "unresolved",
    "resolved",
    "ignored",
    "all",
  ]);
  for (const [shell, words] of [
    ["zsh", /^#compdef faultline/],
    ["fish", /complete -c faultline/],
  ] as const) {
    assert.match((await run("faultline", ["completion", shell], { env: { PATH } })).stdout, words);
  }
});

test.run();
