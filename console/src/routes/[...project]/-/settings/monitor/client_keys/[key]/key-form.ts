/** The typed values of the form of a key. */
export interface KeyFields {
  readonly eventsPerMinute: string;
  readonly eventsPerDay: string;
  /** One a line. */
  readonly allowedOrigins: string;
}

/** The form as it was sent. */
export function readKeyFields(form: FormData): KeyFields {
  const text = (name: string) => String(form.get(name) ?? "").trim();
  return {
    eventsPerMinute: text("events_per_minute"),
    eventsPerDay: text("events_per_day"),
    allowedOrigins: text("allowed_origins"),
  };
}

/** A limit as a person types it: a whole number; an empty field and 0 are no limit. Undefined: it is not a whole number. */
export function limitOf(text: string): number | undefined {
  if (text === "") return 0;
  return /^\d{1,9}$/.test(text) ? Number(text) : undefined;
}

/** The origins of the lines; spaces and commas part them too. */
export function originsOf(text: string): string[] {
  return text.split(/[\s,]+/).filter((origin) => origin !== "");
}
