/** The form in which administrators set a limit of bytes: a choice, and an amount with its unit. */

export const limitChoices = ["default", "none", "own"] as const;
export type LimitChoice = (typeof limitChoices)[number];

const units = [
  { name: "TB", bytes: 10n ** 12n },
  { name: "GB", bytes: 10n ** 9n },
  { name: "MB", bytes: 10n ** 6n },
  { name: "bytes", bytes: 1n },
] as const;

export const limitUnits = units.map(({ name }) => name);

/** The values of a limit's fields. */
export interface LimitFields {
  readonly choice: LimitChoice;
  readonly amount: string;
  readonly unit: (typeof limitUnits)[number];
}

/** A stored limit as field values, in the largest unit that gives a whole number. */
export function limitFields(bytes: bigint, isOwn: boolean): LimitFields {
  const choice = !isOwn ? "default" : bytes === 0n ? "none" : "own";
  if (bytes === 0n) return { choice, amount: "", unit: "GB" };
  const unit = units.find((one) => bytes % one.bytes === 0n) ?? units[3];
  return {
    choice,
    amount: choice === "own" ? String(bytes / unit.bytes) : "",
    unit: choice === "own" ? unit.name : "GB",
  };
}

/** The fields of a form, regardless of the sent data. */
export function readLimitFields(form: FormData, name: string): LimitFields {
  const text = (field: string) => String(form.get(`${name}_${field}`) ?? "").trim();
  return {
    choice: limitChoices.find((one) => one === text("choice")) ?? "default",
    amount: text("amount"),
    unit: limitUnits.find((one) => one === text("unit")) ?? "GB",
  };
}

/** The limit in the fields: in bytes, 0 for no limit, or the default; or a sentence about the mistake. */
export function readLimit({ choice, amount, unit }: LimitFields): { bytes: string } | { fault: string } | "default" {
  if (choice === "default") return "default";
  if (choice === "none") return { bytes: "0" };
  if (!/^[1-9]\d{0,15}$/.test(amount)) return { fault: "Enter the limit as a whole number from 1, such as 20." };
  return { bytes: String(BigInt(amount) * (units.find(({ name }) => name === unit)?.bytes ?? 1n)) };
}
