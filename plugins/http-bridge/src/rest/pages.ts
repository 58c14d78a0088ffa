import { badParameter } from "./http-error.ts";
import { setLinks, type Link } from "./links.ts";
import { numberParam, type Params } from "./params.ts";
import type { Visit } from "../visit.ts";

/** A page asked for by `page` and `per_page`. */
export interface Page {
  readonly page: number;
  readonly perPage: number;
}

/** Reads `page` (default 1) and `per_page`. */
export function pageOf(params: Params): Page {
  return { page: numberParam(params, "page") ?? 1, perPage: perPageOf(params) };
}

/** Reads `per_page`: default 20, at most 100. */
export function perPageOf(params: Params): number {
  return Math.min(numberParam(params, "per_page") ?? 20, 100);
}

/** A page in the words of the core. */
export function pageRequest({ page, perPage }: Page): { pageSize: number; skip: number } {
  const skip = (page - 1) * perPage;
  if (skip > 0xffff_ffff) throw badParameter("page", "is invalid"); // more than the core can count
  return { pageSize: perPage, skip };
}

/** Tells where a page lies by the headers of offset pagination (gitlab.md 1.2). */
export function setPageHeaders(visit: Visit, { page, perPage }: Page, total: number): void {
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
  for (const [name, value] of Object.entries(headers)) visit.response.setHeader(name, String(value));

  const link = (rel: Link[0], to: number | undefined): Link[] =>
    to === undefined ? [] : [[rel, { page: String(to), per_page: String(perPage) }]];
  setLinks(visit, [...link("prev", previous), ...link("next", next), ...link("first", 1), ...link("last", pages)]);
}

/** Links the neighbours of a page that is asked for by `cursor`; an empty cursor: there is none. */
export function setCursorLinks(visit: Visit, cursors: { readonly prev?: string; readonly next: string }): void {
  const link = (rel: "prev" | "next", cursor: string): Link[] => (cursor === "" ? [] : [[rel, { cursor }]]);
  setLinks(visit, [...link("prev", cursors.prev ?? ""), ...link("next", cursors.next)]);
}
