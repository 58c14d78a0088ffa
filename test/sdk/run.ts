/**
 * Lets the real SDKs report to a running Faultline and asserts what is stored:
 * `npm run test:sdk -- [language...] [--write] [--changed]`. Needs the languages' tool chains and package registries, so it is no
 * part of `npm test`. Tools of builds upload to it too. A language without its tools is skipped, unless FAULTLINE_SDK_REQUIRED=node,python,... names it.
 * `--write` writes docs/sdks.md. `--changed` leaves out what passed with the same code (test/passed.json), other than Node,
 * browsers and Python.
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { Passed } from "../support/run/passed.ts";
import { repositoryRoot } from "../support/service/server.ts";
import { buildsWithMaps } from "./builds/language.ts";
import { grpcClients } from "./grpc/clients.ts";
import { tryClient } from "./grpc/try-client.ts";
import { captured, others, specified, tools } from "./languages.ts";
import { titleOf, type Result } from "./matrix.ts";
import { startServers } from "./observe.ts";
import { page } from "./page.ts";
import { tryTool } from "./try-tool.ts";
import { tryCaptures, tryLanguage } from "./try.ts";

const options = { write: { type: "boolean" }, changed: { type: "boolean" } } as const;
const { positionals, values } = parseArgs({ allowPositionals: true, options });
const required = (process.env["FAULTLINE_SDK_REQUIRED"] ?? "").split(",").filter((name) => name !== "");
const known = new Set(
  [...specified, ...captured, ...others, ...tools, ...buildsWithMaps, ...grpcClients].map(({ name }) => name),
);
const unknown = [...positionals, ...required].filter((name) => !known.has(name));
if (unknown.length > 0) fail(`There is no SDK called ${unknown.join(", ")}; there are ${[...known].join(", ")}.`);
if (values.write && (positionals.length > 0 || values.changed))
  fail("--write is for all languages together, else the matrix had gaps.");

/** The parts that SDKs and tools call. The parts behind them have separate tests with events of these SDKs. */
const tested = ["http-bridge", "sentry-event", "sentry-api", "source-maps"].map((plugin) => `plugins/${plugin}`);
const passed = new Passed([...tested, "backend/src/host", "proto/faultline", "docs/grpc.md", "test/sdk"]);
const always = ["node", "browser", "python"];

const isWanted = ({ name }: { readonly name: string }) =>
  positionals.includes(name) ||
  (positionals.length === 0 && (!values.changed || always.includes(name) || !passed.has(`sdk ${name}`)));
const servers = await startServers();
const ofSpecification: Result[] = [];
const ofOthers: Result[] = [];
const ofTools: Result[] = [];
const ofBuilds: Result[] = [];
const ofGrpc: Result[] = [];
try {
  for (const language of specified.filter(isWanted)) ofSpecification.push(report(await tryLanguage(language, servers)));
  for (const language of captured.filter(isWanted)) ofSpecification.push(report(await tryCaptures(language, servers)));
  for (const language of others.filter(isWanted)) ofOthers.push(report(await tryLanguage(language, servers)));
  for (const tool of tools.filter(isWanted)) ofTools.push(report(await tryTool(tool, servers)));
  for (const build of buildsWithMaps.filter(isWanted)) ofBuilds.push(report(await tryLanguage(build, servers)));
  for (const client of grpcClients.filter(isWanted)) ofGrpc.push(report(await tryClient(client, servers)));
} finally {
  await servers.stop();
}
if (values.write) writeFileSync(join(repositoryRoot, "docs/sdks.md"), page(ofSpecification, ofOthers, ofBuilds));
summarise([...ofSpecification, ...ofOthers, ...ofTools, ...ofBuilds, ...ofGrpc]);

function report(result: Result): Result {
  const label = titleOf(result.language);
  if ("notRun" in result) console.log(`-     ${label}: not run: ${result.notRun}`);
  else
    for (const [feature, failure] of result.failures)
      console.log(failure === undefined ? `ok    ${label}: ${feature}` : `FAIL  ${label}: ${feature}\n${failure}`);
  return result;
}

function summarise(results: readonly Result[]): void {
  const outcomes = results.flatMap((result) => ("failures" in result ? [...result.failures.values()] : []));
  const failed = outcomes.filter((failure) => failure !== undefined).length;
  const skipped = results.filter((result) => "notRun" in result).map(({ language }) => language);
  for (const [name, ofName] of Map.groupBy(results, ({ language }) => language.name)) {
    if (always.includes(name)) continue;
    const isPassed = ofName.every((result) => "failures" in result && [...result.failures.values()].every(isUndefined));
    passed.note(`sdk ${name}`, isPassed);
  }
  const missing = skipped.filter(({ name }) => required.includes(name));
  if (skipped.length > 0) console.log(`\nNot run: ${skipped.map(titleOf).join(", ")}`);
  if (missing.length > 0) console.log(`Required all the same: ${missing.map(titleOf).join(", ")}`);
  console.log(`\n${outcomes.length - failed} passed, ${failed} failed, ${skipped.length} not run`);
  process.exitCode = failed + missing.length > 0 ? 1 : 0;
}

function isUndefined(failure: string | undefined): boolean {
  return failure === undefined;
}

function fail(sentence: string): never {
  console.error(sentence);
  process.exit(1);
}
