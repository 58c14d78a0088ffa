import { ClientKeySchema } from "@faultline/proto";
import type { Command } from "commander";
import { printMessage, progress, wholeNumber } from "./output.ts";
import { projectNamed, withService } from "./service.ts";

/** More than a project can have. */
const allKeys = 100;

/** `faultline keys ...` */
export function clientKeyCommands(program: Command): void {
  const keys = program.command("keys").description("client keys of a project, with their DSNs");

  keys
    .command("list <project>")
    .description("list the keys; <project> is a path or an id; DSNs are empty where the token lacks the scope api")
    .action((named: string) =>
      withService(async (service) => {
        const { projectId, capabilities } = await projectNamed(service, named);
        const { clientKeys } = await service.clientKeys.listClientKeys({ projectId, pageSize: allKeys }, service.call);
        for (const key of clientKeys) printMessage(ClientKeySchema, key);
        if (capabilities?.clientKeys?.allowed === false) progress(capabilities.clientKeys.reason);
      }),
    );

  keys
    .command("create <project>")
    .description("make a key")
    .action((named: string) =>
      withService(async (service) => {
        const { projectId } = await projectNamed(service, named);
        const { clientKey } = await service.clientKeys.createClientKey({ projectId }, service.call);
        if (clientKey) printMessage(ClientKeySchema, clientKey);
      }),
    );

  keys
    .command("delete <project> <key>")
    .description("delete a key by its id; events sent with it are refused from then on")
    .action((named: string, keyId: string) =>
      withService(async (service) => {
        const { projectId } = await projectNamed(service, named);
        await service.clientKeys.deleteClientKey({ projectId, keyId: wholeNumber(keyId) }, service.call);
      }),
    );
}
