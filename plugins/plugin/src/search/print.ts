import { keyNamed } from "./keys.ts";
import type { Named, Pattern, Term } from "./term.ts";

/** Writes a search, so that reading it gives the same terms. */
export const printSearch = (terms: readonly Term[]) => terms.map((term) => printTerm(term)).join(" ");

/** Writes one term. `name`: of its key, where it is written for a system that has other names. */
export function printTerm(term: Term, name = term.of === "text" ? "" : named(term)): string {
  const not = term.isNegated ? "!" : "";
  switch (term.of) {
    case "text":
      return not + quoted([term.text]);
    case "presence":
      return `${not}has:${name}`;
    case "value": {
      const { values, isOnly } = term;
      const value = values.length === 1 ? quoted(values[0]) : `[${values.map(quoted).join(", ")}]`;
      return `${not}${isOnly ? "all:" : ""}${name}:${value}`;
    }
    case "comparison": {
      const { operator, operand } = term;
      const sign = operator === "=" || /^[-+]\d+[mhdw]$/.test(operand) ? "" : operator;
      return `${not}${name}:${sign}${quoted([operand])}`;
    }
  }
}

function named({ key, isTag }: Named): string {
  const isPlain = /^(?=.*\p{L})[\p{L}\p{N}_.-]+$/u.test(key) && !/^(?:all|has|tags|[a-z])$/i.test(key);
  if (!isTag || (isPlain && keyNamed(key) === undefined)) return key;
  return key.includes("]") ? `"${key}"` : `tags[${key}]`;
}

/** In quotes only where it needs them. */
function quoted(value: Pattern): string {
  const text = value.map((part) => part.replace(/[\\*"]/g, (sign) => `\\${sign}`)).join("*");
  return /^[^\s"()[\],:!<>=\\*]+(?:\*[^\s"()[\],:!<>=\\*]*)*$/.test(text) && !/^(?:OR|AND|NOT)$/.test(text)
    ? text
    : `"${text}"`;
}
