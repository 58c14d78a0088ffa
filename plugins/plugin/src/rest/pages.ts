import { badParameter, numberParam, orEmpty, textParam, withDefault, type Parameter } from "./parameter.ts";

const anyPerPage = withDefault(numberParam("Entries a page; more than 100 count as 100."), 20);
const entriesPerPage: Parameter<number> = {
  ...anyPerPage,
  read: (value, name) => Math.min(anyPerPage.read(value, name), 100),
};

/** Parameters of a page with a number. */
export const numbered = {
  page: withDefault(numberParam("The page, from 1.", { maximum: 1_000_000 }), 1),
  per_page: entriesPerPage,
};

/** Parameters of a page with a cursor, to which the previous page links. */
export const byCursor = {
  per_page: entriesPerPage,
  cursor: orEmpty(textParam("From the header `Link` of the page before.", { maxLength: 1000 })),
};

/** The values of `numbered`. */
export interface Numbered {
  readonly page: number;
  readonly per_page: number;
}

/** A numbered page in the form of a request to the core. */
export function pageOf({ page, per_page: pageSize }: Numbered): { pageSize: number; skip: number } {
  const skip = (page - 1) * pageSize;
  if (skip > 0xffff_ffff) throw badParameter("page", "is invalid"); // more than the core can count
  return { pageSize, skip };
}

/** A page with a cursor in the form of a request to the core. */
export function cursorOf({ per_page: pageSize, cursor }: { readonly per_page: number; readonly cursor: string }) {
  return { pageSize, pageToken: cursor };
}

/** A link to another page (RFC 8288), with the parameters of that page. */
export type Link = readonly [rel: "prev" | "next" | "first" | "last", parameters: Readonly<Record<string, string>>];

/** The address of a call: the prefix of links to this service, which may be empty, and the path with its query. */
export interface Address {
  readonly origin: string;
  readonly target: string;
}

/** The header `Link`: this address with other parameters. Empty if there are no links. */
export function linkHeader({ origin, target }: Address, links: readonly Link[]): Readonly<Record<string, string>> {
  const { pathname, search } = new URL(target, "http://localhost");
  const values = links.map(([rel, parameters]) => {
    const query = new URLSearchParams(search);
    for (const [name, value] of Object.entries(parameters)) query.set(name, value);
    return `<${origin}${pathname}?${query}>; rel="${rel}"`;
  });
  return links.length === 0 ? {} : { link: values.join(", ") };
}

/** The headers with the position of a numbered page (gitlab.md 1.2). */
export function pageHeaders(
  address: Address,
  { page, per_page: perPage }: Numbered,
  totalSize: number,
): Readonly<Record<string, string>> {
  const pages = Math.max(Math.ceil(totalSize / perPage), 1);
  const next = page < pages ? page + 1 : undefined;
  const previous = page > 1 ? page - 1 : undefined;
  const link = (rel: Link[0], to: number | undefined): Link[] =>
    to === undefined ? [] : [[rel, { page: String(to), per_page: String(perPage) }]];
  return {
    "x-total": String(totalSize),
    "x-total-pages": String(pages),
    "x-per-page": String(perPage),
    "x-page": String(page),
    "x-next-page": String(next ?? ""),
    "x-prev-page": String(previous ?? ""),
    ...linkHeader(address, [
      ...link("prev", previous),
      ...link("next", next),
      ...link("first", 1),
      ...link("last", pages),
    ]),
  };
}

/** The links to the neighbors of a page with a cursor. An empty cursor gives no link. */
export function cursorLinks(
  address: Address,
  cursors: { readonly previous?: string | undefined; readonly next: string },
): Readonly<Record<string, string>> {
  const link = (rel: "prev" | "next", cursor: string): Link[] => (cursor === "" ? [] : [[rel, { cursor }]]);
  return linkHeader(address, [...link("prev", cursors.previous ?? ""), ...link("next", cursors.next)]);
}
