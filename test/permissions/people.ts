import { Role, type Project } from "@faultline/proto";
import { roleNames } from "../../backend/src/services/access/roles.ts";
import type { GrpcClient } from "../support/core/grpc.ts";

/** With what a person calls. */
export type Credential = "none" | "session" | "api" | "read_api" | "upload";

/** A caller with a separate project. */
export interface Person {
  /** Such as `Developer`. */
  readonly name: string;
  /** The role in the project; UNSPECIFIED if the person is not a member. */
  readonly role: Role;
  readonly isAdmin: boolean;
  /** The kinds of tokens the person has. */
  readonly credentials: readonly Credential[];
  readonly projectId: number;
  /** A token of that kind. With `fresh`, a token that the call may end. */
  token(credential: Credential, fresh?: boolean): Promise<string | undefined>;
  /** Another project in which the person has the same role. */
  anotherProject(): Promise<number>;
}

const password = "a long enough passphrase";

/** Nobody, a user without a role, a member of each role, and an administrator. */
export async function makePeople(client: GrpcClient): Promise<Person[]> {
  const people: Person[] = [await makePerson(client, "Anybody", Role.UNSPECIFIED)];
  people.push(await makePerson(client, "User", Role.UNSPECIFIED));
  for (const [role, name] of roleNames) people.push(await makePerson(client, name, role));
  people.push(await makePerson(client, "Administrator", Role.UNSPECIFIED));
  return people;
}

let projects = 0;

async function makePerson(client: GrpcClient, name: string, role: Role): Promise<Person> {
  const isAnybody = name === "Anybody";
  const isAdmin = name === "Administrator";
  const username = `matrix-${name.toLowerCase()}`;
  const userId = isAnybody
    ? 0
    : ((await client.users.createUser({ username, password, isAdmin }, client.auth)).user?.userId ?? 0);

  const makeProject = async () => {
    projects += 1;
    const { project } = await client.projects.createProject({ path: `matrix/${projects}` }, client.auth);
    const { projectId } = project as Project; // a created project is always answered
    if (role !== Role.UNSPECIFIED) await client.members.addMember({ projectId, userId, role }, client.auth);
    return projectId;
  };
  const signIn = async () => (await client.accounts.signIn({ username, password })).sessionToken;
  const makeToken = async (credential: Credential) => {
    if (credential === "none") return undefined;
    const session = await signIn();
    if (credential === "session") return session;
    const made = await client.accounts.createAccessToken(
      { name: credential, scopes: [credential] },
      { token: session },
    );
    return made.token;
  };
  const kept = new Map<Credential, Promise<string | undefined>>();

  return {
    name,
    role,
    isAdmin,
    credentials: isAnybody ? ["none"] : ["session", "api", "read_api", "upload"],
    projectId: await makeProject(),
    anotherProject: makeProject,
    async token(credential, fresh = false) {
      if (fresh) return makeToken(credential);
      const token = kept.get(credential) ?? makeToken(credential);
      kept.set(credential, token);
      return token;
    },
  };
}
