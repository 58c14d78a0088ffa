const oneLine = 80;

/** A value of an event as text: strings unchanged, everything else as JSON, on a single line if it is short. */
export function valueText(value: unknown): string {
  if (typeof value === "string") return value;
  const short = JSON.stringify(value) ?? "";
  return short.length <= oneLine ? short : JSON.stringify(value, null, 2);
}

/** Whether an SDK or the service hid this value. */
export const isFiltered = (value: unknown) => value === "[Filtered]";
