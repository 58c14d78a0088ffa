import { DefaultQuotaSchema, QuotaSchema } from "@faultline/proto";
import { InvalidArgumentError, type Command } from "commander";
import { CommandFault, printMessage } from "./output.ts";
import { projectNamed, withService } from "./service.ts";

const limitHelp = "in bytes or as 20GB, 512MB; none; default";

/** `faultline quota ...` */
export function quotaCommands(program: Command): void {
  const quota = program.command("quota").description("how much projects may send in a day and keep, in bytes");

  quota
    .command("show [project]")
    .description("show limits and use of a project, by path or id; without one, the limits of all that have no own")
    .action((named: string | undefined) =>
      withService(async (service) => {
        if (named === undefined) {
          const { defaultQuota } = await service.quotas.getDefaultQuota({}, service.call);
          if (defaultQuota) printMessage(DefaultQuotaSchema, defaultQuota);
          return;
        }
        const { projectId } = await projectNamed(service, named);
        const answer = await service.quotas.getQuota({ projectId }, service.call);
        if (answer.quota) printMessage(QuotaSchema, answer.quota);
      }),
    );

  quota
    .command("list")
    .description("list the projects that keep most, for administrators")
    .action(() =>
      withService(async (service) => {
        const { quotas } = await service.quotas.listQuotas({}, service.call);
        for (const one of quotas) printMessage(QuotaSchema, one);
      }),
    );

  quota
    .command("set [project]")
    .description("set limits of a project, or of all that have no own, for administrators")
    .option("--day <limit>", `what may be received in a UTC day, ${limitHelp}`, limitOf)
    .option("--kept <limit>", `what may be kept, ${limitHelp}`, limitOf)
    .action((named: string | undefined, { day, kept }: { day?: Limit; kept?: Limit }) =>
      withService(async (service) => {
        if (!day && !kept) throw new CommandFault("There is nothing to save. Give --day or --kept.");
        const limits = {
          ...(day?.bytes !== undefined && { dayLimitBytes: day.bytes }),
          ...(kept?.bytes !== undefined && { keptLimitBytes: kept.bytes }),
        };
        const isDefault = (limit: Limit | undefined) => limit !== undefined && limit.bytes === undefined;
        if (named === undefined) {
          const resets = { resetDayLimit: isDefault(day), resetKeptLimit: isDefault(kept) };
          const { defaultQuota } = await service.quotas.updateDefaultQuota({ ...limits, ...resets }, service.call);
          if (defaultQuota) printMessage(DefaultQuotaSchema, defaultQuota);
          return;
        }
        const { projectId } = await projectNamed(service, named);
        const resets = { useDefaultDayLimit: isDefault(day), useDefaultKeptLimit: isDefault(kept) };
        const answer = await service.quotas.updateQuota({ projectId, ...limits, ...resets }, service.call);
        if (answer.quota) printMessage(QuotaSchema, answer.quota);
      }),
    );
}

/** Without bytes: the default. */
interface Limit {
  readonly bytes?: bigint;
}

const units: Readonly<Record<string, bigint>> = { "": 1n, MB: 10n ** 6n, GB: 10n ** 9n, TB: 10n ** 12n };

function limitOf(text: string): Limit {
  if (text === "default") return {};
  if (text === "none") return { bytes: 0n };
  const [, digits = "", unit = ""] = /^(\d{1,16}) ?([MGT]B)?$/.exec(text) ?? [];
  const factor = units[unit];
  if (digits === "" || factor === undefined) {
    throw new InvalidArgumentError("Give a whole number of bytes, one with MB, GB or TB, none or default.");
  }
  return { bytes: BigInt(digits) * factor };
}
