import { ClientKeySchema, GetClientKeyTrafficResponseSchema, type Project } from "@faultline/proto";
import type { Command } from "commander";
import { CommandFault, countOrNone, printMessage, progress, wholeNumber } from "./output.ts";
import { onProject, type Service } from "./service.ts";

interface KeyOptions {
  readonly enable?: boolean;
  readonly disable?: boolean;
  readonly eventsPerMinute?: number;
  readonly eventsPerDay?: number;
  readonly allowedOrigins?: string;
}

/** More than a project can have. */
const allKeys = 100;

/** `faultline keys ...` */
export function clientKeyCommands(program: Command): void {
  const keys = program.command("keys").description("client keys of a project, with their DSNs");

  keys
    .command("list <project>")
    .description("list the keys; <project> is a path or an id; DSNs are empty where the token lacks the scope api")
    .action(
      onProject(async (service, { projectId, capabilities }) => {
        const { clientKeys } = await service.clientKeys.listClientKeys({ projectId, pageSize: allKeys }, service.call);
        for (const key of clientKeys) printMessage(ClientKeySchema, key);
        if (capabilities?.clientKeys?.allowed === false) progress(capabilities.clientKeys.reason);
      }),
    );

  keys
    .command("create <project>")
    .description("make a key")
    .action(
      onProject(async (service, { projectId }) => {
        const { clientKey } = await service.clientKeys.createClientKey({ projectId }, service.call);
        if (clientKey) printMessage(ClientKeySchema, clientKey);
      }),
    );

  keys
    .command("show <project> <key>")
    .description("show a key with its limits and allowed origins")
    .action(
      onProject(async (service, { projectId }, keyId: string) => {
        const { clientKey } = await service.clientKeys.getClientKey(
          { projectId, keyId: wholeNumber(keyId) },
          service.call,
        );
        if (clientKey) printMessage(ClientKeySchema, clientKey);
      }),
    );

  keys
    .command("update <project> <key>")
    .description("change what a key may send; what is not named stays as it is")
    .option("--enable", "accept events sent with it")
    .option("--disable", "refuse events sent with it, until it is enabled again")
    .option("--events-per-minute <number>", "limit of events a minute; 0: none", countOrNone)
    .option("--events-per-day <number>", "limit of events a day, UTC; 0: none", countOrNone)
    .option("--allowed-origins <origins>", "origins whose pages may send, with commas; empty: all")
    .action((named: string, keyId: string, options: KeyOptions) => {
      if (options.enable && options.disable) throw new CommandFault("Give --enable or --disable, not both.");
      return onProject(update)(named, keyId, options);
    });

  keys
    .command("traffic <project> <key>")
    .description("show what was sent with a key by hour, what was refused, and the networks that sent most")
    .option("--hours <number>", "so many hours that end with the running one", wholeNumber, 24)
    .action(
      onProject(async (service, { projectId }, keyId: string, { hours }: { hours: number }) => {
        const traffic = await service.clientKeys.getClientKeyTraffic(
          { projectId, keyId: wholeNumber(keyId), hourCount: hours },
          service.call,
        );
        printMessage(GetClientKeyTrafficResponseSchema, traffic);
      }),
    );

  keys
    .command("delete <project> <key>")
    .description("delete a key by its id; events sent with it are refused from then on")
    .action(
      onProject(async (service, { projectId }, keyId: string) => {
        await service.clientKeys.deleteClientKey({ projectId, keyId: wholeNumber(keyId) }, service.call);
      }),
    );
}

/** Changes what the options name. */
async function update(service: Service, { projectId }: Project, keyId: string, options: KeyOptions): Promise<void> {
  const { enable, disable, eventsPerMinute, eventsPerDay, allowedOrigins } = options;
  const { clientKey } = await service.clientKeys.updateClientKey(
    {
      projectId,
      keyId: wholeNumber(keyId),
      ...((enable || disable) && { active: enable === true }),
      ...(eventsPerMinute !== undefined && { eventsPerMinute }),
      ...(eventsPerDay !== undefined && { eventsPerDay }),
      ...(allowedOrigins !== undefined && {
        allowedOrigins: { origins: allowedOrigins === "" ? [] : allowedOrigins.split(",") },
      }),
    },
    service.call,
  );
  if (clientKey) printMessage(ClientKeySchema, clientKey);
}
