/** Control characters but line breaks, and those that change the direction of text, by which a text looks like another one. */
const unwanted = /(?!\n)[\p{Cc}\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

/** A foreign text as people may see it: well-formed, in one normal form, without control characters, cut by code point. */
export function cleanText(text: string, longest: number): string {
  // Cut first, generously, so that a text of a megabyte costs no more than a short one.
  const clean = text
    .slice(0, 4 * longest)
    .toWellFormed()
    .normalize("NFC")
    .replaceAll(unwanted, "");
  return cut(clean, longest);
}

/** The same on one line. */
export const cleanLine = (text: string, longest: number): string =>
  cut(cleanText(text, longest).replaceAll(/\s+/gu, " ").trim(), longest);

/** At most so many UTF-16 units, as most limits count them, and no half of a pair. */
export function cut(text: string, longest: number): string {
  if (text.length <= longest) return text;
  return `${text.slice(0, Math.max(0, longest - 1)).replace(/[\ud800-\udbff]$/u, "")}…`;
}
