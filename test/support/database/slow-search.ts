import type { Error as ErrorMessage } from "@faultline/proto";
import type { SearchToken } from "../../../plugins/integrated-backend/src/search/search-token.ts";

const asciiSmall = (one: string) => one.replace(/[A-Z]/g, (letter) => letter.toLowerCase());

/** The slow way: a text in its forms, letter by letter. */
function contains(field: string, searched: string): boolean {
  const small = searched.toLowerCase();
  const [first = "", ...rest] = small;
  const forms = [searched, small, searched.toUpperCase(), first.toUpperCase() + rest.join("")];
  return forms.some((form) => asciiSmall(field).includes(asciiSmall(form)));
}

/** Whether an error matches one word of a search, evaluated the slow way. Tags: `<key>\0<value>`. */
export function matches(error: ErrorMessage, tags: ReadonlySet<string>, token: SearchToken): boolean {
  if ("text" in token) return [error.title, error.value, error.culprit].some((field) => contains(field, token.text));
  const { key, value } = token;
  if (key === "level") return error.level === value.toLowerCase();
  if (key === "type" || key === "error.type") return error.type === value;
  if (key === "message" || key === "title") return contains(error.title, value) || contains(error.value, value);
  return tags.has(`${key}\0${value}`);
}
