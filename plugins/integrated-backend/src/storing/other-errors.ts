import { hash } from "node:crypto";
import type { ErrorEvent } from "@faultline/proto";
import { newErrors } from "./limits.ts";
import type { Summary } from "./summary.ts";

/** The error of a project that holds events of new errors beyond the limit. No event has this hash by its own grouping. */
export const otherErrorsHash = hash("sha256", "other errors", "hex").slice(0, 32);

const inWords = new Intl.NumberFormat("en");
const [aMinute, aDay] = [newErrors.aMinute, newErrors.aDay].map((limit) => inWords.format(limit));

/** Its entry in lists; its events keep their own titles. */
export const otherErrors: Summary & Pick<ErrorEvent, "culprit" | "platform"> = {
  title: "Other errors",
  type: "Other errors",
  value: `More than ${aMinute} new errors in a minute, or ${aDay} in a day: events of further ones are counted here.`,
  culprit: "beyond the limit of new errors",
  platform: "other",
};
