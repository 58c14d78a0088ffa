import { Backend } from "@faultline/proto";
import { type MovableFaultline, signIn } from "../../support/service/movable-faultline.ts";
import type { World } from "../world.ts";
import { filledProject, otherProject } from "./integrated.ts";

/** The world of a project that reads another Faultline by its `/api/0/`, connected as a person connects it. */
export async function faultlineWorld(reader: MovableFaultline, source: MovableFaultline): Promise<World> {
  const { id } = await filledProject(source);
  const other = await otherProject(source);
  const { token } = await source.client.accounts.createAccessToken(
    { name: "contract", scopes: ["api"] },
    await signIn(source.client),
  );
  const projectId = await linked(reader, source, { token, externalId: id });
  const otherId = await linked(reader, source, { token, externalId: other.projectId });
  return { kind: "faultline", client: reader.client, projectId, other: { ...other, projectId: otherId } };
}

/** Makes a project and links it, with what Connect finds. */
async function linked(
  { client }: MovableFaultline,
  source: MovableFaultline,
  { token, externalId }: { token: string; externalId: number },
): Promise<number> {
  const { project } = await client.projects.createProject({ path: `contract/reads-${externalId}` }, client.auth);
  const projectId = project?.projectId ?? 0;
  const external = { projectId, externalApiUrl: source.faultline.httpUrl, externalAuthToken: token };
  const { externalProjects } = await client.settings.listExternalProjects(external, client.auth);
  const externalProject = externalProjects.find((found) => found.id === String(externalId));
  if (!externalProject) throw new Error("Connect does not find the project");
  await client.settings.updateSettings(
    { ...external, active: true, backend: Backend.EXTERNAL, externalProject },
    client.auth,
  );
  return projectId;
}
