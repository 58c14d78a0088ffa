import { InvalidArgumentError, type Command } from "commander";
import { getDefaultQuota, getQuota, updateDefaultQuota, updateQuota } from "../services/quotas/quota-operations.ts";
import { bodyOf } from "./operations.ts";
import { CommandFault, print } from "./output.ts";
import { projectNamed, withService } from "./service.ts";

const limitHelp = "in bytes or as 20GB, 512MB; none; default";

/** `faultline quota show` and `set`, for a project or for all projects without own limits. */
export function quotaCommands(quota: Command): void {
  quota
    .command("show [project]")
    .description("Show the limits and the use of a project, or the limits of all projects that have none of their own")
    .action((named: string | undefined) =>
      withService(async (service) => {
        const project = named === undefined ? undefined : await projectNamed(service, named);
        print(await bodyOf(service, project ? getQuota : getDefaultQuota, { project }));
      }),
    );

  quota
    .command("set [project]")
    .description("Set the limits of a project, or of all projects that have none of their own. For administrators.")
    .option("--day <limit>", `What may be received in a UTC day, ${limitHelp}`, limitOf)
    .option("--kept <limit>", `What may be kept, ${limitHelp}`, limitOf)
    .action((named: string | undefined, { day, kept }: { day?: string; kept?: string }) =>
      withService(async (service) => {
        if (day === undefined && kept === undefined) {
          throw new CommandFault("There is nothing to save. Give --day or --kept.");
        }
        const project = named === undefined ? undefined : await projectNamed(service, named);
        const sent = { day_limit_bytes: day, kept_limit_bytes: kept };
        print(await bodyOf(service, project ? updateQuota : updateDefaultQuota, { project, sent }));
      }),
    );
}

const units: Readonly<Record<string, bigint>> = { "": 1n, MB: 10n ** 6n, GB: 10n ** 9n, TB: 10n ** 12n };

/** A limit in the form of REST. */
function limitOf(text: string): string {
  if (text === "default") return text;
  if (text === "none") return "0";
  const [, digits = "", unit = ""] = /^(\d{1,16}) ?([MGT]B)?$/.exec(text) ?? [];
  const factor = units[unit];
  if (digits === "" || factor === undefined) {
    throw new InvalidArgumentError("Give a whole number of bytes, one with MB, GB or TB, none or default.");
  }
  return String(BigInt(digits) * factor);
}
