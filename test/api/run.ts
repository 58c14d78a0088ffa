/**
 * Calls the REST API as its document says, and against it, and compares the answers with the document:
 * `npm run test:api -- [seconds] [--changed]`, 60 a caller unless given. It needs Python and PyPI, so `npm test` leaves it out.
 * `--changed`: only when the REST API changed since it passed (test/passed.json).
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { MissingTool } from "../sdk/command.ts";
import { http } from "../support/http/http.ts";
import { rest } from "../support/rest/rest.ts";
import { Passed } from "../support/run/passed.ts";
import { startServer, type Server } from "../support/service/server.ts";
import { tempDir } from "../support/service/temp-dir.ts";
import { manyCallers } from "./many-callers.ts";
import { namedDocument } from "./named-document.ts";
import { fuzz, installSchemathesis, type Fuzzing } from "./schemathesis.ts";
import { makeWorld, type World } from "./world.ts";

const { positionals, values } = parseArgs({ allowPositionals: true, options: { changed: { type: "boolean" } } });
const seconds = Number(positionals[0] ?? 60);
if (!Number.isInteger(seconds) || seconds < 1) fail("Say for how many whole seconds each caller is to call.");

/** The code of the REST API. */
const passed = new Passed(["plugins/http-bridge/src/rest", "backend/src/services", "proto/faultline", "test/api"]);
if (values.changed && passed.has("api")) {
  console.log("The REST API has not changed since it passed.");
  process.exit();
}

/** Calls that end their own token. Each is tried with a token that is made for it. */
const leaving = ["revokeOwnAccessToken", "rotateOwnAccessToken"];

const dir = tempDir();
try {
  await installSchemathesis(dir);
} catch (error) {
  if (!(error instanceof MissingTool)) throw error;
  fail(`${error.message}. The test of the REST API needs it.`);
}
const server = await startServer({ env: { FAULTLINE_TRUSTED_PROXIES: "127.0.0.1" } });
const callers = await manyCallers(server.url);
try {
  await tryAll(server, await makeWorld(server));
} finally {
  callers.close();
  await server.stop(); // fails when the service did not live through it
}
if (seconds >= 60) passed.note("api", process.exitCode === undefined);

async function tryAll(service: Server, world: World): Promise<void> {
  const { json } = await http(`${service.url}/api/v4/openapi.json`);
  const document = join(dir, "openapi.json");
  writeFileSync(document, JSON.stringify(namedDocument(json, world)));
  const target = { dir, document, url: `${callers.url}/api/v4` };
  const { administrator, reporter, leaver } = world;

  await tryAs("an administrator", { ...target, seconds, token: administrator, except: leaving });
  await mustStillBeKnown("the administrator", service, administrator);
  await tryAs("a Reporter", { ...target, seconds, token: reporter, except: leaving });
  await mustStillBeKnown("the Reporter", service, reporter);
  await tryAs("nobody", { ...target, seconds: Math.ceil(seconds / 3) });
  await tryAs("somebody who leaves", { ...target, seconds: Math.ceil(seconds / 6), token: leaver, only: leaving });
}

async function tryAs(caller: string, fuzzing: Fuzzing): Promise<void> {
  const { code, output } = await fuzz(fuzzing);
  const [counts = "no call was made"] = /[1-9][\d,]* generated.*/.exec(output) ?? [];
  const isGood = code === 0 && counts.includes("generated");
  console.log(`${isGood ? "ok   " : "FAIL "} as ${caller}: ${counts}`);
  if (isGood) return;
  console.log(output);
  process.exitCode = 1;
}

/** A caller who is refused everywhere proves nothing. */
async function mustStillBeKnown(who: string, service: Server, token: string): Promise<void> {
  const { status } = await rest(service, "GET /user", { token });
  if (status === 200) return;
  console.log(`FAIL  ${who} was refused in the end, with ${status}: the calls ended their own token.`);
  process.exitCode = 1;
}

function fail(sentence: string): never {
  console.error(sentence);
  process.exit(1);
}
