import { hash } from "node:crypto";
import { namingException, publicName, titleOf } from "@faultline/sentry-event";
import type { ErrorEvent } from "@faultline/proto";
import { newErrors } from "../limits.ts";

/** The parts of an event that a list shows. */
export interface Summary {
  readonly title: string;
  readonly type: string;
  readonly value: string;
}

/** Title, type and value of an event. */
export function summaryOf(event: ErrorEvent): Summary {
  const main = namingException(event);
  return {
    title: titleOf(event),
    type: main?.type ?? "",
    value: publicName(main?.value || event.message)
      .slice(0, 1024)
      .toWellFormed(),
  };
}

/**
 * The hash of the project's error for events of new errors beyond the limit. Grouping never gives an event this hash.
 */
export const otherErrorsHash = hash("sha256", "other errors", "hex").slice(0, 32);

const inWords = new Intl.NumberFormat("en");
const [aMinute, aDay] = [newErrors.aMinute, newErrors.aDay].map((limit) => inWords.format(limit));

/** The entry of that error in lists. Its events keep their own titles. */
export const otherErrors: Summary & Pick<ErrorEvent, "culprit" | "platform"> = {
  title: "Other errors",
  type: "Other errors",
  value: `More than ${aMinute} new errors in a minute, or ${aDay} in a day: events of further ones are counted here.`,
  culprit: "beyond the limit of new errors",
  platform: "other",
};
