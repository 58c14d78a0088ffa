import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { builtCheckout } from "../../support/source-maps/built.ts";
import { run } from "../command.ts";
import type { BuildTool } from "../language.ts";
import type { UploadEnvironments } from "../upload-environments.ts";
import { commandsOf, type CommandCase, type Ended } from "./commands.ts";

const tool = (version: string): BuildTool => ({
  name: "sentry-cli",
  sdk: "@sentry/cli",
  version,
  remarks: [],
  prepare,
  async attempt(dir, environments) {
    const failures = new Map<string, string | undefined>();
    for (const command of commandsOf(version)) {
      failures.set(command.words, await failureOf(command, { dir, environments }));
    }
    return failures;
  },
});

/** The newest of release 2, which the plugins of bundlers before version 11 run. */
export const sentryCli = tool("2.58.6");

export const newestSentryCli = tool("3.8.0");

/** Makes a build, and a repository of one commit. */
async function prepare(dir: string): Promise<void> {
  mkdirSync(join(dir, "dist"));
  const { code, map } = await builtCheckout();
  writeFileSync(join(dir, "dist/app.js"), code);
  writeFileSync(join(dir, "dist/app.js.map"), map);
  for (const words of ["init", "add dist", "commit --message=Sell"]) {
    const who = ["-c", "user.name=Build", "-c", "user.email=build@example.com"];
    const ended = await run({ words: ["git", ...who, ...words.split(" ")], cwd: dir, limitSeconds: 30 });
    if (ended.code !== 0) throw new Error(`git ${words} ended with ${ended.code}:\n${ended.output}`);
  }
}

/** Runs a command with a right token in both spellings, a wrong one, and one without the scope. */
async function failureOf(
  { words, allowed, wrong, reading }: CommandCase,
  { dir, environments }: { dir: string; environments: UploadEnvironments },
): Promise<string | undefined> {
  const runs: [name: keyof UploadEnvironments, expected: Ended | undefined][] = [
    ["claims", allowed],
    ["plain", allowed],
    ["wrong", wrong],
    ["reading", reading],
  ];
  for (const [name, expected] of runs) {
    if (expected === undefined) continue;
    const { code, output } = await run({
      words: [join(dir, "node_modules/.bin/sentry-cli"), ...words.split(" ")],
      cwd: dir,
      limitSeconds: 60,
      // The home directory has a configuration of the tool, which must have no effect.
      env: { HOME: dir, SENTRY_DISABLE_UPDATE_CHECK: "1", ...environments[name] },
    });
    const [wantedCode, wantedWords] = expected;
    if (code !== wantedCode || !wantedWords.test(output)) {
      return `with the token “${name}”: ended with ${code}, not ${wantedCode} and ${wantedWords}:\n${output.slice(-2000)}`;
    }
  }
  return undefined;
}
