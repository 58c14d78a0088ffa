import type { Visit } from "../visit.ts";

/** A page in the words of RFC 8288, with the parameters that ask for it. */
export type Link = readonly [rel: "prev" | "next" | "first" | "last", parameters: Readonly<Record<string, string>>];

/** Sets the header Link: the address of this call with other parameters, which ask for other pages. */
export function setLinks({ request, response, origin }: Visit, links: readonly Link[]): void {
  if (links.length === 0) return;
  const address = new URL(request.url ?? "/", "http://localhost");
  const values = links.map(([rel, parameters]) => {
    const query = new URLSearchParams(address.search);
    for (const [name, value] of Object.entries(parameters)) query.set(name, value);
    return `<${origin}${address.pathname}?${query}>; rel="${rel}"`;
  });
  response.setHeader("link", values.join(", "));
}
