import { Role } from "@faultline/proto";
import type { GrpcClient } from "../support/core/grpc.ts";
import { newMember, newPerson, personPassword } from "../support/core/person.ts";

type Environment = Readonly<Record<string, string>>;

/** The variables that Sentry's tools read, by the token in them. */
export type UploadEnvironments = Readonly<Record<"claims" | "plain" | "wrong" | "reading", Environment>>;

/**
 * Environments for uploads to a project `<organization>/web`: a token of the scope upload with `claims` in the spelling
 * of Sentry's tools, without a separate address and organization; the token as `plain`; an unknown token, and a token
 * that only reads.
 */
export async function uploadEnvironments(
  client: GrpcClient,
  { projectId, organization, url }: { projectId: number; organization: string; url: string },
): Promise<UploadEnvironments> {
  const builder = await newMember(client, projectId, Role.DEVELOPER);
  const session = await client.accounts.signIn({ username: builder.username, password: personPassword });
  const { token, sentryToken } = await client.accounts.createAccessToken(
    { name: "build", scopes: ["upload"], organization },
    { token: session.sessionToken },
  );
  const reader = await newPerson(client, { scopes: ["read_api"] });
  await client.members.addMember({ projectId, userId: reader.userId, role: Role.DEVELOPER }, client.auth);
  const environmentWith = (secret: string): Environment => ({
    SENTRY_URL: url,
    SENTRY_ORG: organization,
    SENTRY_PROJECT: "web",
    SENTRY_AUTH_TOKEN: secret,
  });
  return {
    claims: { SENTRY_PROJECT: "web", SENTRY_AUTH_TOKEN: sentryToken },
    plain: environmentWith(token),
    wrong: environmentWith("flp_nobody-has-this-token-00000"),
    reading: environmentWith(reader.token),
  };
}
