import type { Pattern } from "./term.ts";

/** Whether a value has the texts of a pattern in their order. */
export function isLike(value: string, [first, ...others]: Pattern): boolean {
  const last = others.pop();
  if (last === undefined) return value === first;
  if (!value.startsWith(first) || !value.endsWith(last) || value.length < first.length + last.length) return false;
  let rest = value.slice(first.length, value.length - last.length);
  for (const part of others) {
    const at = rest.indexOf(part);
    if (at < 0) return false;
    rest = rest.slice(at + part.length);
  }
  return true;
}
