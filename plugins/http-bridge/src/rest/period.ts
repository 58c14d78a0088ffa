import { choiceParam, type Params } from "./params.ts";

const hours = { "24h": 24, "7d": 168, "14d": 336, "30d": 720, "90d": 2160 } as const;

/** A window that ends with the running hour, in hours: `period` is one of 24h, 7d, 14d, 30d and 90d. */
export function hoursOf(params: Params, otherwise: keyof typeof hours): number {
  return hours[choiceParam(params, "period", ["24h", "7d", "14d", "30d", "90d"]) ?? otherwise];
}
