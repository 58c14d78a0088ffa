import { Option, type Command } from "commander";
import { roles } from "../roles.ts";

/** `faultline serve`: runs the service, whole or one part of it. */
export function serveCommand(program: Command): void {
  program
    .command("serve")
    .description("Run the service until it is stopped; all of it, or one part beside other processes")
    .addOption(new Option("--role <role>", "What this process does, FAULTLINE_ROLE if not given").choices(roles))
    .action(async ({ role }: { role?: string }) => {
      // The whole service, which no other command needs.
      const [{ startFaultline }, { serve }] = await Promise.all([import("../main.ts"), import("../serve.ts")]);
      await serve(startFaultline, role);
    });
}
