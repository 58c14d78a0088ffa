import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ArtifactBundleState, Role } from "@faultline/proto";
import { grpcClient, type GrpcClient } from "../../support/core/grpc.ts";
import { newMember, newPerson, personPassword } from "../../support/core/person.ts";
import { createProject } from "../../support/core/project.ts";
import { tempDir } from "../../support/service/temp-dir.ts";
import { builtCheckout } from "../../support/source-maps/built.ts";
import { MissingTool, run } from "../command.ts";
import type { BuildTool } from "../language.ts";
import { builds, type Result } from "../matrix.ts";
import { npmInstall } from "../npm-install.ts";
import type { Servers } from "../observe.ts";
import { commandsOf, type CommandCase, type Ended } from "./commands.ts";

type Environment = Readonly<Record<string, string>>;

/** Runs each command of the tool with a right token in both spellings, a wrong one, and one without the scope. */
export async function tryCommands(tool: BuildTool, { wide }: Servers): Promise<Result> {
  const failures = new Map<string, string | undefined>();
  const client = grpcClient(wide);
  try {
    const organization = `cli-${tool.version.replaceAll(".", "-")}`;
    const project = await createProject(wide, { name: "Web", path: `${organization}/web` });
    const environments = await environmentsOf(client, { projectId: project.id, organization, url: wide.url });
    const dir = await prepare(tool);
    failures.set(builds, undefined);
    for (const command of commandsOf(tool.version)) {
      failures.set(command.words, await failureOf(command, { dir, environments }));
    }
    const { artifactBundles } = await client.sourceMaps.listArtifactBundles({ projectId: project.id }, client.auth);
    const isListed = artifactBundles.some(
      ({ state, mappedFileCount }) => state === ArtifactBundleState.OK && mappedFileCount === 1,
    );
    failures.set("the upload is in the list of uploads", isListed ? undefined : "it is not");
  } catch (error) {
    if (error instanceof MissingTool) return { language: tool, notRun: error.message };
    failures.set(builds, String(error));
  } finally {
    client.close();
  }
  return { language: tool, doors: [], failures };
}

type Environments = Readonly<Record<"claims" | "plain" | "wrong" | "reading", Environment>>;

async function environmentsOf(
  client: GrpcClient,
  { projectId, organization, url }: { projectId: number; organization: string; url: string },
): Promise<Environments> {
  const builder = await newMember(client, projectId, Role.DEVELOPER);
  const session = await client.accounts.signIn({ username: builder.username, password: personPassword });
  const { token, sentryToken } = await client.accounts.createAccessToken(
    { name: "build", scopes: ["upload"], organization },
    { token: session.sessionToken },
  );
  const reader = await newPerson(client, { scopes: ["read_api"] });
  await client.members.addMember({ projectId, userId: reader.userId, role: Role.DEVELOPER }, client.auth);
  const environmentWith = (secret: string): Environment => ({
    SENTRY_URL: url,
    SENTRY_ORG: organization,
    SENTRY_PROJECT: "web",
    SENTRY_AUTH_TOKEN: secret,
  });
  return {
    claims: { SENTRY_PROJECT: "web", SENTRY_AUTH_TOKEN: sentryToken }, // no address and no organization beside it
    plain: environmentWith(token),
    wrong: environmentWith("flp_nobody-has-this-token-00000"),
    reading: environmentWith(reader.token),
  };
}

/** Installs the tool, and makes a build and a repository of one commit beside it. */
async function prepare({ sdk, version }: BuildTool): Promise<string> {
  const dir = tempDir();
  writeFileSync(join(dir, "package.json"), JSON.stringify({ private: true, dependencies: { [sdk]: version } }));
  mkdirSync(join(dir, "dist"));
  const { code, map } = await builtCheckout();
  writeFileSync(join(dir, "dist/app.js"), code);
  writeFileSync(join(dir, "dist/app.js.map"), map);
  const git = (...words: string[]) => ({
    words: ["git", "-c", "user.name=Build", "-c", "user.email=build@example.com", ...words] as [string, ...string[]],
    cwd: dir,
    limitSeconds: 30,
  });
  for (const command of [
    npmInstall(dir),
    git("init", "--quiet"),
    git("add", "dist"),
    git("commit", "--quiet", "--message", "Sell"),
  ]) {
    const ended = await run(command);
    if (ended.code !== 0) throw new Error(`${command.words.join(" ")} ended with ${ended.code}:\n${ended.output}`);
  }
  return dir;
}

async function failureOf(
  { words, allowed, wrong, reading }: CommandCase,
  { dir, environments }: { dir: string; environments: Environments },
): Promise<string | undefined> {
  const runs: [name: keyof Environments, expected: Ended | undefined][] = [
    ["claims", allowed],
    ["plain", allowed],
    ["wrong", wrong],
    ["reading", reading],
  ];
  for (const [name, expected] of runs) {
    if (expected === undefined) continue;
    // In the home directory lies a configuration of the tool, which must not have a say.
    const env = { HOME: dir, SENTRY_DISABLE_UPDATE_CHECK: "1", ...environments[name] };
    const { code, output } = await run({
      words: [join(dir, "node_modules/.bin/sentry-cli"), ...words.split(" ")],
      cwd: dir,
      limitSeconds: 60,
      env,
    });
    const [wantedCode, wantedWords] = expected;
    if (code !== wantedCode || !wantedWords.test(output)) {
      return `with the token “${name}”: ended with ${code}, not ${wantedCode} and ${wantedWords}:\n${output.slice(-2000)}`;
    }
  }
  return undefined;
}
