/** Longer texts are cut before they are looked through, so that a message of a megabyte costs nothing. */
const maxRead = 4096;
const maxKept = 1024;

/** Patterns that must not leave the installation, and their replacements. */
const replacements: readonly (readonly [pattern: RegExp, replacement: string])[] = [
  // MikroORM puts the statement with its values before the database's own words.
  [/^\s*(?:insert|replace|update|delete|select|with|pragma)\b[^]* - (?=[^]*$)/i, "[statement] - "],
  // JSON.parse quotes what it could not read.
  [/(?:\.\.\.)?"[^]*"(?:\.\.\.)? is not valid JSON/, "[text] is not valid JSON"],
  [/(:\/\/)[^\s/@'"]+@/g, "$1[credentials]@"],
  [/(https?:\/\/[^\s?'"]+)\?[^\s'"]*/gi, "$1?[query]"],
  [/\bfl[psir]_[\w-]+/g, "[token]"],
  [/\b(bearer|basic|sentry)\s+[\w.~+/=,-]{6,}/gi, "$1 [secret]"],
  [
    /((?:password|passwd|secret|token|[_-]key|cookie|authorization)["']?\s*[:=]\s*)("[^"]*"?|'[^']*'?|[^\s,;&}]+)/gi,
    "$1[secret]",
  ],
  [/(?:flck_)?[0-9a-f]{32,}/gi, "[key]"],
  [/[\w.+-]{1,64}@[\w-]{1,63}\.[\w.-]{1,63}/g, "[e-mail]"],
  [/(["'`])[^"'`]{65,}\1/g, "$1[text]$1"],
  [/(?<![\w:/.])\/(?:[^\s'"/:]+\/)+([^\s'"/:]+)/g, "…/$1"],
];

/** A message without secrets, contents of requests and paths of the machine, of at most 1,024 characters. */
export function scrubbed(text: string): string {
  const read = text.slice(0, maxRead);
  return replacements
    .reduce((kept, [pattern, replacement]) => kept.replace(pattern, replacement), read)
    .slice(0, maxKept);
}
