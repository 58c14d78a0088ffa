import { isIP } from "node:net";
import { readSearch } from "@faultline/plugin";
import { isMailAddress } from "./external-search.ts";

/** What may be the reason that the external system finds nothing: it does not say which keys and values it has. */
export function externalHints(query: string): { readonly text: string; readonly query?: string }[] {
  const terms = readSearch(query);
  const named = terms.flatMap((term) => (term.of === "value" && !term.isNegated ? [term] : []));
  const texts = terms.flatMap((term) => (term.of === "text" && !term.isNegated ? [term] : []));
  const keys = [...new Set(named.map(({ key }) => key))].map((key) => `“${key}”`).join(", ");
  const users = texts.flatMap(({ text, start, end }) => {
    const key = isIP(text) === 0 ? (isMailAddress(text) ? "user.email" : undefined) : "user.ip";
    if (key === undefined) return [];
    const asUser = `${key}:${query.slice(start, end)}`;
    return [
      {
        text: `The external system searches the texts of errors for “${text}”. To search for the user, write ${asUser}.`,
        query: query.slice(0, start) + asUser + query.slice(end),
      },
    ];
  });
  const spelling = `The external system compares values letter by letter, and does not report its keys. Check ${keys}.`;
  return [...users, ...(named.length > 0 ? [{ text: spelling }] : [])];
}
