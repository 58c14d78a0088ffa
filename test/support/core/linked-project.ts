import { Backend } from "@faultline/proto";
import type { FakeExternal } from "../external/fake-external.ts";
import type { GrpcClient } from "./grpc.ts";

export interface LinkedProject {
  readonly projectId: number;
  readonly path: string;
  /** The token with which the project reads the external system. */
  readonly token: string;
}

export interface LinkOptions {
  /** The project's path. Default: a new path. */
  readonly path?: string;
  /**
   * The slug of the external project. Default: the first project. Two projects cannot be linked to the same external
   * project.
   */
  readonly external?: string;
  /** Default: a new token of the external system. */
  readonly token?: string;
  /** Saves the link without the id of the external project, like settings of the original. */
  readonly withoutId?: boolean;
  /** Default: the address of the external system. */
  readonly apiUrl?: string;
}

let count = 0;

/** Makes an active project that reads its errors from an external system, with a new token. */
export async function linkedProject(
  client: GrpcClient,
  fake: FakeExternal,
  options: LinkOptions = {},
): Promise<LinkedProject> {
  count += 1;
  const { path = `linked/project-${count}`, token = fake.newToken(), apiUrl = fake.url } = options;
  const external = fake.data.projects.find(({ slug }) => slug === options.external) ?? fake.data.projects[0];
  if (!external) throw new Error("the external system has no project");
  const organization = fake.data.organizations.find(({ slug }) => slug === external.organization);
  const { project } = await client.projects.createProject({ path }, client.auth);
  const projectId = project?.projectId ?? 0;
  const externalProject = {
    id: options.withoutId ? "" : external.id,
    slug: external.slug,
    name: external.name,
    organizationSlug: external.organization,
    organizationName: organization?.name ?? "",
  };
  await client.settings.updateSettings(
    {
      projectId,
      active: true,
      backend: Backend.EXTERNAL,
      externalApiUrl: apiUrl,
      externalAuthToken: token,
      externalProject,
    },
    client.auth,
  );
  return { projectId, path, token };
}
