import type { Role } from "@faultline/proto";
import type { GrpcClient } from "./grpc.ts";

/** A user with a personal access token. */
export interface Person {
  readonly userId: number;
  readonly username: string;
  readonly token: string;
}

export const personPassword = "a long enough passphrase";
let count = 0;

/** Makes a user with the methods of the core. `scopes` are the scopes of the token, by default `api`. */
export async function newPerson(
  client: GrpcClient,
  { isAdmin = false, scopes = ["api"] }: { isAdmin?: boolean; scopes?: string[] } = {},
): Promise<Person> {
  count += 1;
  const username = `person-${process.pid}-${count}`;
  const { user } = await client.users.createUser({ username, password: personPassword, isAdmin }, client.auth);
  const { sessionToken } = await client.accounts.signIn({ username, password: personPassword });
  const { token } = await client.accounts.createAccessToken({ name: "test", scopes }, { token: sessionToken });
  return { userId: user?.userId ?? 0, username, token };
}

/** Makes a user who has a role in a project. */
export async function newMember(client: GrpcClient, projectId: number, role: Role, scopes?: string[]): Promise<Person> {
  const person = await newPerson(client, scopes && { scopes });
  await client.members.addMember({ projectId, userId: person.userId, role }, client.auth);
  return person;
}
