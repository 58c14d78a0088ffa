import { invalidField } from "@faultline/plugin";
import { raw } from "@mikro-orm/core";

/** The condition that a column contains the text of the request field `query`; ASCII letters match in either case. */
export function contains(text: string) {
  if (text.length > 200) throw invalidField("query", "A search has at most 200 characters.");
  const pattern = `%${text.replace(/[\\%_]/g, (sign) => `\\${sign}`)}%`;
  return { $like: raw<string>("? escape '\\'", [pattern]) };
}
