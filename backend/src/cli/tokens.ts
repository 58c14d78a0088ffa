import { ErrorReason } from "@faultline/proto";
import { CallError } from "@faultline/proto/grpc";
import type { Command } from "commander";
import { getOwnAccessToken } from "../services/accounts/access-token-operations.ts";
import { getCurrentUser } from "../services/users/user-operations.ts";
import { bodyOf } from "./operations.ts";
import { CommandFault, print } from "./output.ts";
import { withService, type Service } from "./service.ts";

/** `faultline auth status`: the owner of the token. It never prints the token. */
export function authCommands(auth: Command): void {
  auth
    .command("status")
    .summary("Show the service, the user and the scopes of the token, and when it expires")
    .description(
      "Show the service, the user and the scopes of the token in FAULTLINE_TOKEN, and when it expires. Fails if there is no token, or if the service refuses the token.",
    )
    .action(() => withService(async (service) => print(await statusOf(service))));
}

async function statusOf(service: Service): Promise<object> {
  const { address } = service;
  try {
    const token = (await bodyOf(service, getOwnAccessToken)) as Record<string, unknown>; // an AccessToken
    const { username } = (await bodyOf(service, getCurrentUser)) as Record<string, unknown>; // a User
    const { name, scopes, expires_at, last_used_at } = token;
    return { service: address, username, token_name: name, scopes, expires_at, last_used_at };
  } catch (error) {
    if (!(error instanceof CallError)) throw error;
    // A token that is only for uploads may not even read its owner.
    if (error.reason === ErrorReason.INSUFFICIENT_SCOPE) return { service: address, scopes: ["upload"] };
    if (!refusals.has(error.reason)) throw error;
    throw new CommandFault(`${address} refuses the token in FAULTLINE_TOKEN. ${error.message}`);
  }
}

const refusals: ReadonlySet<ErrorReason> = new Set([
  ErrorReason.TOKEN_REQUIRED,
  ErrorReason.TOKEN_EXPIRED,
  ErrorReason.TOKEN_REVOKED,
]);

/** `faultline tokens create`, which signs in, because a token cannot create a token. */
export function tokenCommands(tokens: Command): void {
  tokens
    .command("create <name>")
    .summary("Make a token")
    .description("Make a token. Set FAULTLINE_PASSWORD to your password, because tokens cannot make tokens.")
    .requiredOption("--user <name>", "Your user name")
    .option("--scope <scope...>", "api, read_api or upload", ["api"])
    .option(
      "--organization <name>",
      "With --scope upload: also spell it as Sentry's tools do, for acme of acme/web",
      "",
    )
    .action((name: string, { user, scope, organization }: CreateOptions) =>
      withService(async ({ accounts, password }) => {
        if (password === undefined) throw new CommandFault("FAULTLINE_PASSWORD is not set. Set it for this command.");
        const { sessionToken } = await accounts.signIn({ username: user, password });
        const session = { token: sessionToken };
        try {
          const asked = { name, scopes: scope, organization };
          const { token, sentryToken } = await accounts.createAccessToken(asked, session);
          print({ name, scopes: scope, token, ...(sentryToken !== "" && { sentry_token: sentryToken }) });
        } finally {
          await accounts.signOut({}, session);
        }
      }),
    );
}

interface CreateOptions {
  readonly user: string;
  readonly scope: string[];
  readonly organization: string;
}
