/** The length of a message that distinguishes groups; it bounds the work of the patterns. */
const maxLength = 1024;

/** In order: an earlier name takes text that a later one would also match. None can backtrack over more than one part. */
const patterns: readonly (readonly [name: string, pattern: RegExp])[] = [
  ["email", /[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,5}/g],
  ["url", /\b(?:https?|wss?|ftp|file):\/\/[^\s"'<>]+/g],
  ["ip", /(?<![\w.])(?:\d{1,3}\.){3}\d{1,3}(?![\w.])|(?<![\w:])(?:[0-9a-fA-F]{1,4}:){3,7}[0-9a-fA-F]{0,4}(?![\w:])/g],
  ["uuid", /\b[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}\b/g],
  ["sha1", /\b[0-9a-fA-F]{40}\b/g],
  ["md5", /\b[0-9a-fA-F]{32}\b/g],
  ["date", /\b\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:[.,]\d{1,9})?)?(?:Z|[+-]\d{2}:?\d{2})?)?/g],
  [
    "date",
    /\b(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,? (?:\d{1,2} )?[A-Z][a-z]{2}[a-z]* [\d: ]{1,20}(?:GMT|UTC)?[+-]?\d{0,4}/g,
  ],
  ["time", /\b\d{1,2}:\d{2}:\d{2}(?:[.,]\d{1,9})?\b/g],
  ["duration", /\b\d{1,12}(?:\.\d{1,9})?(?:ns|µs|us|ms|s)\b/g],
  [
    "hex",
    /\b0[xX][0-9a-fA-F]{1,128}\b|\b(?=[a-f]{0,127}\d)(?=\d{0,127}[a-f])[0-9a-f]{8,128}\b|\b(?=[A-F]{0,127}\d)(?=\d{0,127}[A-F])[0-9A-F]{8,128}\b/g,
  ],
  ["float", /-?\b\d{1,20}\.\d{1,20}\b/g],
  ["int", /-?\b\d{1,20}\b/g],
  ["quoted", /="[^"]{0,200}"|='[^']{0,200}'/g],
  ["bool", /=(?:true|false|True|False)\b/g],
];

/** A message with its variable parts replaced by their kind, so that `user 42` and `user 43` are one group. */
export function parametrise(text: string): string {
  const [first = "", second = ""] = text
    .slice(0, maxLength)
    .split(/\r?\n/)
    .filter((line) => line.trim() !== "");
  let message = second === "" ? first.trim() : `${first.trim()}\n${second.trim()}`;
  for (const [name, pattern] of patterns) message = message.replace(pattern, `<${name}>`);
  return message;
}
