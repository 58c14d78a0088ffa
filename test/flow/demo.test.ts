import { execFile } from "node:child_process";
import { isIPv4 } from "node:net";
import { ErrorSort } from "@faultline/proto";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { createProject } from "../support/core/project.ts";
import { sharedServer } from "../support/service/flow.ts";
import { bundle, repositoryRoot, rootToken } from "../support/service/server.ts";

const { server, client } = await sharedServer();
const path = `demo-${process.pid}`;
const dayMs = 24 * 3_600_000;

/** Runs the command line with the administrator's token. */
function faultline(...args: string[]): Promise<{ code: unknown; stdout: string; stderr: string }> {
  const env = { FAULTLINE_GRPC_ADDRESS: server.grpcAddress, FAULTLINE_TOKEN: rootToken };
  return new Promise((resolve) => {
    execFile(process.execPath, [bundle, ...args], { cwd: repositoryRoot, env }, (error, stdout, stderr) =>
      resolve({ code: error?.code ?? 0, stdout, stderr }),
    );
  });
}

test("a demo has errors of nine SDKs over two weeks, marked, and sessions of its releases", async () => {
  // A demo that got no further than its project does not stand in the way of the next one.
  await client.projects.createProject({ path, name: "Faultline demo" }, client.auth);
  const { code, stdout, stderr } = await faultline("demo", "--path", path, "--events", "60");
  assert.is(code, 0, stderr);
  assert.not.match(stdout, /not active/);
  assert.match(stderr, `Open ${server.url}/${path}/-/error_tracking in a browser.`);
  const { project } = await client.projects.getProject({ key: { case: "path", value: path } }, client.auth);
  const projectId = project?.projectId ?? 0;

  const { errors } = await client.errors.listErrors(
    { projectId, pageSize: 100, query: "demo:true", sort: ErrorSort.FIRST_SEEN },
    client.auth,
  );
  assert.is(errors.length, 18);
  const seen = errors.map(({ firstSeenTime }) => Date.now() - Number(firstSeenTime?.seconds) * 1000);
  assert.ok(Math.max(...seen) > 8 * dayMs && Math.max(...seen) <= 14.1 * dayMs, `${seen}`);
  assert.ok(Math.min(...seen) < 2 * dayMs);
  const events = await Promise.all(
    errors.map(async ({ errorId }) => (await client.errors.getEvent({ projectId, errorId }, client.auth)).event),
  );
  assert.is(new Set(events.map((event) => event?.sdk?.name)).size, 9);
  const addresses = errors.flatMap(({ title }) => title.match(/\d+\.\d+\.\d+\.\d+/g) ?? []);
  assert.ok(addresses.length > 0 && addresses.every(isIPv4), addresses.join());
  for (const event of events) {
    const frames = event?.exceptions[0]?.frames ?? [];
    assert.equal(frames.filter(({ inApp }) => inApp).length, 1, event?.title); // the table distinguishes libraries
    assert.ok(frames.find(({ inApp }) => inApp)?.contextLine, event?.title);
  }

  const { releases } = await client.releases.listReleases({ projectId }, client.auth);
  // Sessions of more than five days ago are not accepted, so the oldest release has none.
  assert.equal(releases.map(({ version }) => version).toSorted(), ["shop@1.4.0", "shop@1.5.0"]);
  const { outcomes } = await client.outcomes.listOutcomes({ projectId }, client.auth);
  assert.equal(outcomes, []); // nothing was refused or left aside
});

test("a second demo of the same path is refused", async () => {
  const { code, stderr } = await faultline("demo", "--path", path);
  assert.is(code, 1);
  assert.match(stderr, `There is a project ${path} already.`);
});

test("a demo has at most 5,000 events", async () => {
  const { code, stderr } = await faultline("demo", "--path", `${path}-large`, "--events", "5001");
  assert.is(code, 1);
  assert.match(stderr, "Give at most 5000.");
});

test("a demo is removed in one act, and nothing else is", async () => {
  const own = await createProject(server);
  const refused = await faultline("demo", "--remove", "--path", own.path);
  assert.is(refused.code, 1);
  assert.match(refused.stderr, `The project ${own.path} was not made by faultline demo.`);
  const { code, stderr } = await faultline("demo", "--remove", "--path", path);
  assert.is(code, 0, stderr);
  const { projects } = await client.projects.listProjects({ query: path }, client.auth);
  assert.equal(projects, []);
});

test.run();
