import { Role } from "@faultline/proto";
import { test } from "uvu";
import * as assert from "uvu/assert";
import type { Config } from "../../../../backend/src/config.ts";
import { startFaultline } from "../../../../backend/src/main.ts";
import { grpcClient } from "../../../support/core/grpc.ts";
import { refusedBecause } from "../../../support/assert/refused-because.ts";
import { rest } from "../../../support/rest/rest.ts";
import { tempDir } from "../../../support/service/temp-dir.ts";
import { testConfig } from "../../../support/service/test-config.ts";
import { makePerson, password } from "./people.ts";

/** The acts that the operator allows to everybody, or only to administrators. */

const config = testConfig(tempDir());
const clock = { at: Date.UTC(2026, 0, 10), now: () => clock.at };
let faultline = await startFaultline(config, clock);
let client = grpcClient(faultline);

async function restart(delegated: Partial<Config["delegated"]>): Promise<void> {
  client.close();
  await faultline.stop();
  faultline = await startFaultline({ ...config, delegated: { ...config.delegated, ...delegated } }, clock);
  client = grpcClient(faultline);
}
test.after(async () => {
  client.close();
  await faultline.stop();
});

const ann = await makePerson(client, "ann");
const bob = await makePerson(client, "bob");
const { project } = await client.projects.createProject({ path: "ann/first" }, ann.auth);
const projectId = project?.projectId ?? 0;

const invite = async (auth = ann.auth) => {
  const { url } = await client.members.createInvitation({ projectId, role: Role.DEVELOPER }, auth);
  return url.split("/").at(-1) ?? "";
};
const capabilities = async (auth = ann.auth) => {
  const { project: read } = await client.projects.getProject({ key: { case: "projectId", value: projectId } }, auth);
  return read?.capabilities;
};

test("if only administrators create projects, others are refused in words and learn it beforehand", async () => {
  await restart({ projectCreation: "administrators" });
  const words = "Only administrators can create projects in this installation. Ask an administrator for a project.";
  const refusal = await refusedBecause("FORBIDDEN", client.projects.createProject({ path: "ann/second" }, ann.auth));
  assert.is(refusal.message, words);
  const listed = await client.projects.listProjects({}, ann.auth);
  assert.equal([listed.createProject?.allowed, listed.createProject?.reason], [false, words]);
  const answer = await rest({ url: faultline.httpUrl }, "POST /projects?name=web", { token: await tokenOf() });
  assert.equal([answer.status, answer.json], [403, { message: "403 Forbidden", reason: "FORBIDDEN" }]);
  await invite(); // which is another matter

  assert.is((await client.projects.listProjects({}, client.auth)).createProject?.allowed, true);
  await client.projects.createProject({ path: "made/for-ann" }, client.auth);
});

async function tokenOf(): Promise<string> {
  const { token } = await client.accounts.createAccessToken({ name: "rest", scopes: ["api"] }, ann.auth);
  return token;
}

test("if only administrators invite, others are refused, their links are invalid, and they add existing users", async () => {
  await restart({});
  assert.is((await capabilities())?.invite?.allowed, true);
  const old = await invite();
  await restart({ invitations: "administrators" });
  const { message } = await refusedBecause("FORBIDDEN", invite());
  assert.match(message, "Only administrators can invite people by link in this installation.");
  const { invite: may, adminMembers } = (await capabilities()) ?? {};
  assert.equal([may?.allowed, may?.reason, adminMembers?.allowed], [false, message, true]);
  const register = { token: old, username: "carl", password };
  await refusedBecause("INVITATION_NOT_FOUND", client.members.registerByInvitation(register));
  await refusedBecause("INVITATION_NOT_FOUND", client.members.getInvitation({ token: old }));
  assert.equal((await client.members.listInvitations({ projectId }, ann.auth)).invitations, []);
  await client.members.addMember({ projectId, userId: bob.userId, role: Role.DEVELOPER }, ann.auth);
  assert.equal((await capabilities(bob.auth))?.invite, (await capabilities(bob.auth))?.adminMembers);

  assert.is((await capabilities(client.auth))?.invite?.allowed, true);
  await client.members.registerByInvitation({ ...register, token: await invite(client.auth) });
  await restart({});
  await client.members.getInvitation({ token: old });
});

test("people who are not administrators own at most 100 projects, including deleted ones until they are gone", async () => {
  await restart({});
  const create = (n: number, auth = ann.auth) => client.projects.createProject({ path: `ann/p${n}` }, auth);
  for (let n = 2; n <= 100; n++) await create(n);
  const { message } = await refusedBecause("LIMIT_REACHED", create(101));
  assert.match(message, "You own 100 projects");
  await client.projects.deleteProject({ projectId }, ann.auth);
  await refusedBecause("LIMIT_REACHED", create(101));
  await create(101, bob.auth);
  for (let n = 200; n <= 300; n++) await create(n, client.auth);
});

test.run();
