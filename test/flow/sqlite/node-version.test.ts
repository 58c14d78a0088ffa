import { readFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { createProject } from "../../support/core/project.ts";
import { newEventId } from "../../support/sentry/send.ts";
import { launch, repositoryRoot, startServer } from "../../support/service/server.ts";
import { oldestNode } from "../../../backend/src/serve.ts";

/** Lets the service believe that it runs on another Node. */
function playing(version: string, platform: string, arch: string) {
  const played = `Object.defineProperty(process.versions, "node", { value: "${version}" });
    Object.defineProperty(process, "version", { value: "v${version}" });
    Object.defineProperty(process, "platform", { value: "${platform}" });
    Object.defineProperty(process, "arch", { value: "${arch}" });`;
  return { env: { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(played)}` } };
}

test("a Node with known faults is refused where one without them is brought along", async () => {
  const { ended, output } = launch(playing("26.10.0", "linux", "x64"));
  assert.is(await ended, 1, output());
  assert.match(output(), /^Faultline cannot start\. Faultline needs Node 26\.12\.1 or newer, but this is v26\.10\.0/);
});

test("without a safe decoder, br is refused with 415 before it is decoded, gzip is accepted, and the log says so", async () => {
  const server = await startServer(playing("26.10.0", "darwin", "arm64"));
  const project = await createProject(server);
  const event = JSON.stringify({ event_id: newEventId(), message: "compressed" });
  const send = async (encoding: string, body: Uint8Array<ArrayBuffer>) => {
    const headers = {
      "content-encoding": encoding,
      "x-sentry-auth": `Sentry sentry_version=7, sentry_key=${project.key}`,
    };
    const answer = await fetch(`${server.url}/api/${project.id}/store/`, { method: "POST", body, headers });
    return [answer.status, await answer.text()] as const;
  };
  for (const encoding of ["br", "BR"]) {
    const [status, text] = await send(encoding, brotliCompressSync(event));
    assert.is(status, 415);
    assert.match(text, /br is not accepted: the Node of this service is older than 26\.12\.1.*Send gzip/);
  }
  assert.is((await send("gzip", gzipSync(event)))[0], 200);
  assert.match(server.output(), /this Node has known faults that 26\.12\.1 fixes/);
  await server.stop();
});

test("the oldest Node of each platform is the one that package.json pins for it", () => {
  const { optionalDependencies: pinned } = JSON.parse(readFileSync(join(repositoryRoot, "package.json"), "utf8")) as {
    optionalDependencies: Record<string, string>;
  };
  const platforms = Object.entries(pinned).map(([name, version]) => {
    return [name.replace(/^node-(bin-)?/, "").replace(/^win-/, "win32-"), version];
  });
  assert.equal(Object.fromEntries(platforms), oldestNode);
});

test.run();
