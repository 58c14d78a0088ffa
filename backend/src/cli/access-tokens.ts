import { AccessTokenSchema } from "@faultline/proto";
import type { Command } from "commander";
import { CommandFault, printLine, printMessage, wholeNumber } from "./output.ts";
import { withService } from "./service.ts";

/** `faultline tokens ...` */
export function accessTokenCommands(program: Command): void {
  const tokens = program.command("tokens").description("personal access tokens");

  tokens
    .command("create <name>")
    .description("make a token; set FAULTLINE_PASSWORD to your password, because tokens cannot make tokens")
    .requiredOption("--user <name>", "your user name")
    .option("--scope <scope...>", "api, read_api or upload", ["api"])
    .option(
      "--organization <name>",
      "with --scope upload: also spell it as Sentry's tools do, for acme of acme/web",
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
          printLine({ name, scopes: scope, token, ...(sentryToken !== "" && { sentryToken }) });
        } finally {
          await accounts.signOut({}, session);
        }
      }),
    );

  tokens
    .command("list")
    .description("list your tokens")
    .action(() =>
      withService(async ({ accounts, call }) => {
        const { accessTokens } = await accounts.listAccessTokens({ pageSize: 100 }, call);
        for (const token of accessTokens) printMessage(AccessTokenSchema, token);
      }),
    );

  tokens
    .command("revoke <token>")
    .description("revoke a token by its id")
    .action((tokenId: string) =>
      withService(async ({ accounts, call }) => {
        await accounts.revokeAccessToken({ tokenId: wholeNumber(tokenId) }, call);
      }),
    );
}

interface CreateOptions {
  readonly user: string;
  readonly scope: string[];
  readonly organization: string;
}
