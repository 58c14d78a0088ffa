import type { Command } from "commander";
import { getClientKeyTraffic } from "../services/client-keys/client-key-operations.ts";
import { call } from "./operations.ts";
import { print, wholeNumber } from "./output.ts";
import { onProject } from "./service.ts";

/** `faultline keys traffic`, which takes any number of hours, where REST has periods. */
export function clientKeyCommands(program: Command): void {
  program
    .command("keys")
    .description("Client keys of a project, with their DSNs")
    .command("traffic <project> <key>")
    .description("Show what was sent with a key by hour, what was refused, and the networks that sent most")
    .option("--hours <number>", "How many hours, up to and with the running hour", wholeNumber, 24)
    .action(
      onProject(async (service, project, key: string, { hours: hourCount }: { hours: number }) => {
        const keyId = wholeNumber(key);
        const { projectId } = project;
        const read = () => service.clientKeys.getClientKeyTraffic({ projectId, keyId, hourCount }, service.call);
        print((await call(service, getClientKeyTraffic, { project, path: { key_id: key } }, read)).body);
      }),
    );
}
