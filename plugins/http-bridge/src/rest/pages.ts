import { badParameter } from "./http-error.ts";
import { wholeNumber } from "./params.ts";
import type { Visit } from "../visit.ts";

/** A page asked for by `page` and `per_page`. */
export interface Page {
  readonly page: number;
  readonly perPage: number;
}

/** Reads `page` (default 1) and `per_page` (default 20, at most 100). */
export function pageOf(params: Readonly<Record<string, unknown>>): Page {
  const read = (name: string, otherwise: number) => {
    if (params[name] === undefined) return otherwise;
    const value = wholeNumber(params[name]);
    if (value === undefined) throw badParameter(name, "is invalid");
    return value;
  };
  return { page: read("page", 1), perPage: Math.min(read("per_page", 20), 100) };
}

/** Tells where a page lies by the headers of offset pagination (gitlab.md 1.2). */
export function setPageHeaders({ response, request }: Visit, { page, perPage }: Page, total: number): void {
  const pages = Math.max(Math.ceil(total / perPage), 1);
  const next = page < pages ? page + 1 : undefined;
  const previous = page > 1 ? page - 1 : undefined;
  const headers = {
    "x-total": total,
    "x-total-pages": pages,
    "x-per-page": perPage,
    "x-page": page,
    "x-next-page": next ?? "",
    "x-prev-page": previous ?? "",
  };
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, String(value));

  const address = new URL(`http://${request.headers.host ?? "localhost"}${request.url ?? "/"}`);
  const link = (rel: string, to: number | undefined) => {
    if (to === undefined) return [];
    address.searchParams.set("page", String(to));
    address.searchParams.set("per_page", String(perPage));
    return [`<${address.href}>; rel="${rel}"`];
  };
  response.setHeader(
    "link",
    [...link("prev", previous), ...link("next", next), ...link("first", 1), ...link("last", pages)].join(", "),
  );
}
