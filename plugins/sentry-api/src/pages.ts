import { invalidField } from "@faultline/plugin";
import type { ApiCall } from "./call.ts";

/** Entries per page: `per_page` or `limit`, 1 to `max`; by default `max`. */
export function perPageOf({ query }: ApiCall, max = 100): number {
  const text = query.get("per_page") ?? query.get("limit") ?? "";
  if (text === "") return max;
  if (!/^\d{1,9}$/.test(text)) throw invalidField("per_page", "Invalid per_page parameter.");
  const size = Number(text);
  if (size < 1 || size > 100) throw invalidField("per_page", "Invalid per_page value. Must be between 1 and 100.");
  return Math.min(size, max);
}

/** The cursors of the previous and the next page; undefined if there is no such page. */
export interface Neighbours {
  readonly previous?: string | undefined;
  readonly next?: string | undefined;
}

/** The `Link` header, always with both directions; `results` says whether a link leads to a page. */
export function linkHeader(call: ApiCall, { previous, next }: Neighbours): string {
  return [link(call, "previous", previous, "0:0:1"), link(call, "next", next, "0:100:0")].join(", ");
}

/** Parameters that the next page needs. Returning others would echo arbitrarily long input. */
const carried = [
  "query",
  "sort",
  "limit",
  "per_page",
  "statsPeriod",
  "groupStatsPeriod",
  "project",
  "environment",
  "start",
  "end",
  "full",
];

function link({ address, query }: ApiCall, rel: string, cursor: string | undefined, nowhere: string): string {
  const parameters = new URLSearchParams(
    [...query].filter(([name, value]) => carried.includes(name) && value.length <= 200).slice(0, 20),
  );
  const target = cursor ?? nowhere;
  parameters.set("cursor", target);
  const url = `${address}?${parameters.toString().replaceAll("%3A", ":")}`;
  return `<${url}>; rel="${rel}"; results="${cursor !== undefined}"; cursor="${target}"`;
}
