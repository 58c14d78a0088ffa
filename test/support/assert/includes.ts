import type { Event } from "@faultline/proto";
import * as assert from "uvu/assert";

/** The fields of an event that a case checks. A function checks its field itself. */
export type Expected = Readonly<Partial<Record<keyof Event, unknown>>>;

/** Checks a field in the test's own way. */
export type Decision = (value: unknown, event: Event) => boolean;

/** Whether a list, an object or a text has this number of entries. */
export const hasSize =
  (size: number): Decision =>
  (value) =>
    typeof value === "string" ? value.length === size : Object.keys(value ?? {}).length === size;

/** Asserts the named fields: complete lists, the named fields of objects, and the result of functions. */
export function assertIncludes(event: Event, expected: Expected): void {
  const compare = (actual: unknown, wanted: unknown, path: string): void => {
    if (typeof wanted === "function") {
      assert.ok((wanted as Decision)(actual, event), `${path} is ${shown(actual)}`);
    } else if (Array.isArray(wanted)) {
      assert.is((actual as unknown[]).length, wanted.length, `${path} is ${shown(actual)}`);
      for (const [index, entry] of wanted.entries()) compare((actual as unknown[])[index], entry, `${path}[${index}]`);
    } else if (typeof wanted === "object" && wanted !== null) {
      for (const [key, value] of Object.entries(wanted))
        compare((actual as Record<string, unknown> | undefined)?.[key], value, `${path}.${key}`);
    } else {
      assert.is(actual, wanted, `${path} is ${shown(actual)}, not ${shown(wanted)}`);
    }
  };
  compare(event, expected, "event");
}

function shown(value: unknown): string {
  return JSON.stringify(value, (_, part) => (typeof part === "bigint" ? `${part}` : part)) ?? "undefined";
}
