import type { Command } from "commander";
import { CommandFault, print } from "./output.ts";
import { withService } from "./service.ts";

/** `faultline tokens create`, which signs in, because a token cannot make a token. */
export function accessTokenCommands(program: Command): void {
  program
    .command("tokens")
    .description("Personal access tokens")
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
