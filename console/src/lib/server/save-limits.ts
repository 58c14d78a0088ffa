import { fail } from "@sveltejs/kit";
import { readLimit, readLimitFields } from "#lib/quotas/limit-form.ts";
import { action } from "./action.ts";

/** The limits in a form: limits to set, and limits to remove. */
export interface AskedLimits {
  readonly dayLimitBytes?: string;
  readonly keptLimitBytes?: string;
  readonly resetDay: boolean;
  readonly resetKept: boolean;
}

/** Saves the limits of a form and returns the answer. A refusal is shown next to its field. */
export async function saveLimits<Answer>(form: FormData, save: (limits: AskedLimits) => Promise<Answer>) {
  const fields = { day: readLimitFields(form, "day"), kept: readLimitFields(form, "kept") };
  const [day, kept] = [readLimit(fields.day), readLimit(fields.kept)];
  const refused = (status: number, field: string, message: string) =>
    fail(status, { act: "limits" as const, fields, field, message });
  for (const [name, limit] of Object.entries({ day, kept })) {
    if (limit !== "default" && "fault" in limit) return refused(400, name, limit.fault);
  }
  const run = async () => {
    const answer = await save({
      ...(day !== "default" && "bytes" in day && { dayLimitBytes: day.bytes }),
      ...(kept !== "default" && "bytes" in kept && { keptLimitBytes: kept.bytes }),
      resetDay: day === "default",
      resetKept: kept === "default",
    });
    return { act: "limits" as const, answer };
  };
  return action(run, ({ field }) => ({ act: "limits" as const, fields, field: field.replace(/_limit_bytes$/, "") }));
}
