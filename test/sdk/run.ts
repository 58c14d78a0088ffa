/**
 * Lets the real SDKs report to a running Faultline and asserts what is stored:
 * `npm run test:sdk -- [language...] [--write]`. Needs the languages' tool chains and package registries, so it is no
 * part of `npm test`. `--write` writes docs/sdks.md.
 */
import type { Event } from "@faultline/proto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import * as assert from "uvu/assert";
import { grpcClient, type GrpcClient } from "../support/grpc.ts";
import { createProject } from "../support/project.ts";
import { repositoryRoot, startServer, type Server } from "../support/server.ts";
import { storedErrors, storedEventIds } from "../support/stored.ts";
import { tempDir } from "../support/temp-dir.ts";
import { MissingTool, run } from "./command.ts";
import { builds, features, type Outcome } from "./features.ts";
import type { Language } from "./language.ts";
import { absent, languages } from "./languages.ts";
import { matrix, type Result } from "./matrix.ts";
import { startRecorder } from "./recorder.ts";

const { positionals, values } = parseArgs({ allowPositionals: true, options: { write: { type: "boolean" } } });
const isWanted = ({ name }: { readonly name: string }) => positionals.length === 0 || positionals.includes(name);
const known = [...languages, ...absent].map(({ name }) => name);
const unknown = positionals.filter((name) => !known.includes(name));
if (unknown.length > 0) fail(`There is no SDK called ${unknown.join(", ")}; there are ${known.join(", ")}.`);
if (values.write && positionals.length > 0) fail("--write is for all languages together, else the matrix had gaps.");

const server = await startServer();
const client = grpcClient(server);
const results: Result[] = [];
try {
  for (const language of languages.filter(isWanted)) results.push(report(await test(language)));
  for (const language of absent.filter(isWanted)) results.push(report({ language, notRun: language.reason }));
} finally {
  client.close();
  await server.stop();
}
if (values.write) writeFileSync(join(repositoryRoot, "docs/sdks.md"), matrix(results));
summarise();

async function test(language: Language): Promise<Result> {
  try {
    const outcome = await observe(language, server, client);
    const doors = [...new Set(outcome.exchanges.map(({ door }) => door))].toSorted();
    const applying = features.filter(([, , applies]) => applies?.(language.expect) ?? true);
    const failures = applying.map(([name, check]) => [name, failureOf(check, outcome)] as const);
    return { language, doors, failures: new Map([[builds, undefined], ...failures]) };
  } catch (error) {
    if (error instanceof MissingTool) return { language, notRun: error.message };
    return { language, doors: [], failures: new Map([[builds, String(error)]]) };
  }
}

/** Builds and runs a program against a project of its own; its exit code tells nothing, it ends unhandled. */
async function observe(language: Language, { url }: Server, { errors, auth }: GrpcClient): Promise<Outcome> {
  const temp = tempDir();
  for (const command of language.build(temp)) {
    const { code, output } = await run(command);
    if (code !== 0) throw new Error(`${command.words.join(" ")} ended with ${code}:\n${output}`);
  }
  const project = await createProject(server);
  const recorder = await startRecorder(url);
  try {
    const dsn = project.dsn.replace(new URL(url).host, recorder.host);
    const { output } = await run({ ...language.start(temp), env: { FAULTLINE_TEST_DSN: dsn } });
    if (recorder.exchanges.length === 0) throw new Error(`the program sent nothing:\n${output}`);
    const groups = await storedErrors(client, project.id);
    const ids = await Promise.all(groups.map(({ errorId }) => storedEventIds(client, project.id, errorId)));
    const events: Event[] = [];
    for (const eventId of ids.flat()) {
      const { event } = await errors.getEvent({ projectId: project.id, eventId }, auth);
      if (event) events.push(event);
    }
    return { language, events, exchanges: recorder.exchanges };
  } finally {
    recorder.close();
  }
}

function failureOf(check: (outcome: Outcome) => void, outcome: Outcome): string | undefined {
  try {
    check(outcome);
    return undefined;
  } catch (error) {
    return error instanceof assert.Assertion ? `${error.message}${error.details || ""}` : String(error);
  }
}

function report(result: Result): Result {
  const label = `${result.language.name} ${result.language.version}`;
  if ("notRun" in result) console.log(`-     ${label}: not run: ${result.notRun}`);
  else
    for (const [feature, failure] of result.failures)
      console.log(failure === undefined ? `ok    ${label}: ${feature}` : `FAIL  ${label}: ${feature}\n${failure}`);
  return result;
}

function summarise(): void {
  const outcomes = results.flatMap((result) => ("failures" in result ? [...result.failures.values()] : []));
  const failed = outcomes.filter((failure) => failure !== undefined).length;
  console.log(`\n${outcomes.length - failed} passed, ${failed} failed`);
  process.exitCode = failed > 0 ? 1 : 0;
}

function fail(sentence: string): never {
  console.error(sentence);
  process.exit(1);
}
