import type { Timestamp } from "@bufbuild/protobuf/wkt";
import { timestamp } from "@faultline/plugin";
import { badParameter, time, type Parameter } from "@faultline/plugin/rest";

/** A moment such as `2026-05-01T10:20:30.000Z`. */
export const timeParam = (description: string): Parameter<Timestamp | undefined> => ({
  schema: time(description),
  read(value, name) {
    if (value === undefined || value === null) return undefined;
    const ms = typeof value === "string" && isMoment.test(value) ? Date.parse(value) : Number.NaN;
    if (Number.isNaN(ms)) throw badParameter(name, "is invalid");
    return timestamp(ms);
  },
});

const isMoment = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:\d{2})$/;
