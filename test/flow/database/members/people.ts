import type { Role } from "@faultline/proto";
import type { GrpcClient } from "../../../support/core/grpc.ts";

/** A user who is signed in. */
export interface Person {
  readonly userId: number;
  readonly username: string;
  /** The call context of the person's session. */
  readonly auth: { readonly token: string };
}

export const password = "a long enough passphrase";

/** Makes a user and signs in. */
export async function makePerson(client: GrpcClient, username: string): Promise<Person> {
  const { user } = await client.users.createUser({ username, password }, client.auth);
  const { sessionToken } = await client.accounts.signIn({ username, password });
  return { userId: user?.userId ?? 0, username, auth: { token: sessionToken } };
}

/** Makes a project of the administrator's with these members; its id. */
export async function makeProject(
  client: GrpcClient,
  path: string,
  members: readonly (readonly [person: Person, role: Role])[] = [],
): Promise<number> {
  const { project } = await client.projects.createProject({ path }, client.auth);
  const projectId = project?.projectId ?? 0;
  for (const [{ userId }, role] of members) await client.members.addMember({ projectId, userId, role }, client.auth);
  return projectId;
}
