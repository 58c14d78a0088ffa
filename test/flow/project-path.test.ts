import { Backend, Role, services } from "@faultline/proto";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { sharedServer } from "../support/service/flow.ts";
import { newMember, newPerson } from "../support/core/person.ts";
import { createProject } from "../support/core/project.ts";
import { refusedBecause } from "../support/assert/refused-because.ts";

const { server, client } = await sharedServer();
const project = await createProject(server);
const maintainer = await newMember(client, project.id, Role.MAINTAINER);
const reporter = await newMember(client, project.id, Role.REPORTER);
const stranger = await newPerson(client);

/** The chosen backend in a caller's answer. */
const backendFor = async (call: { token: string }) => {
  const { project: read } = await client.projects.getProject({ key: { case: "path", value: project.path } }, call);
  return read?.backend;
};

test("a request names its project by its path where it holds no id, without regard to case", async () => {
  const projectPath = project.path.toUpperCase();
  const { clientKey } = await client.clientKeys.createClientKey({ projectPath }, maintainer);
  assert.is(clientKey?.projectId, project.id);
  const { settings } = await client.settings.getSettings({ projectPath }, maintainer);
  assert.is(settings?.projectId, project.id);
  await refusedBecause("FORBIDDEN", client.settings.getSettings({ projectPath }, reporter));
});

test("a method for administrators takes a path too", async () => {
  const asked = { projectPath: project.path.toUpperCase(), dayLimitBytes: 5_000_000n };
  const { quota } = await client.quotas.updateQuota(asked, client.auth);
  assert.is(quota?.projectId, project.id);
  assert.is(quota?.dayLimitBytes, asked.dayLimitBytes);
  await refusedBecause("FORBIDDEN", client.quotas.updateQuota(asked, maintainer));
  await refusedBecause("PROJECT_NOT_FOUND", client.quotas.updateQuota({ projectPath: "nobody/has-it" }, client.auth));
});

test("the path of a project that the caller may not see is refused as one that no project has", async () => {
  for (const projectPath of [project.path, "nobody/has-it"]) {
    await refusedBecause("PROJECT_NOT_FOUND", client.errors.listErrors({ projectPath }, stranger));
  }
});

test("if a request has both id and path, the id counts, so no path leads to another project than the admitted one", async () => {
  const other = await createProject(server);
  const named = { projectId: project.id, projectPath: other.path };
  const { settings } = await client.settings.getSettings(named, client.auth);
  assert.is(settings?.projectId, project.id);
  await refusedBecause("PROJECT_NOT_FOUND", client.settings.getSettings({ ...named, projectId: other.id }, maintainer));
});

test("every request that requires a project's id takes its path as well", () => {
  const methods = Object.values(services).flatMap((service) => service.methods);
  const without = methods
    .filter(({ input }) => input.field["projectId"] && !input.field["projectId"].oneof && !input.field["projectPath"])
    .map(({ input }) => input.name);
  assert.equal(without.toSorted(), [
    "ListAuditEventsRequest", // a filter
    "RemoveDeletedProjectRequest", // a deleted project has no path
    "RestoreProjectRequest",
    "UpdateOwnErrorReportingRequest", // a value of the settings
  ]);
});

test("a project names its backend to people who may read its settings", async () => {
  assert.is(await backendFor(maintainer), Backend.INTEGRATED);
  assert.is(await backendFor(reporter), Backend.UNSPECIFIED);
  const { project: fresh } = await client.projects.createProject({ path: `${project.path}-fresh` }, client.auth);
  assert.is(fresh?.backend, Backend.UNSPECIFIED, "nobody set up error tracking");
  const { projects } = await client.projects.listProjects({ query: project.path }, client.auth);
  assert.is(projects[0]?.backend, Backend.INTEGRATED);
});

test.run();
