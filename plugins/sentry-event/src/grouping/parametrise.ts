/** The length of a message that distinguishes groups; it bounds the work of the patterns. */
const maxLength = 1024;

/** A kind of text that varies within one error. */
interface Variable {
  /** The replacement; a function if a part of the text stays. */
  readonly to: string;
  readonly pattern: RegExp;
  /** A message without a match of this pattern is not searched; most patterns want a digit. */
  readonly needs?: RegExp;
}

const digit = /\d/;
const weekday = "(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]{0,6}";
const month = "(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]{0,6}";
const clock = String.raw`\d{1,2}:\d{2}(?::\d{2}(?:[.,]\d{1,9})?)?(?: ?[AaPp][Mm]\b)?`;
const zone = String.raw`(?: ?(?:Z\b|(?:GMT|UTC)?[+-]\d{2}:?\d{2}\b|[A-Z]{3,5}\b)){0,2}(?: \([\w +:-]{1,50}\))?`;
const v6 = "[0-9a-fA-F]{1,4}";

/**
 * In order: an earlier kind takes text that a later one would also match. No pattern backtracks over more than one part, and
 * words stay, because they distinguish messages.
 */
const variables: readonly Variable[] = [
  { to: "<jwt>", needs: /eyJ/, pattern: /\beyJ[\w-]{8,}\.[\w-]{8,}(?:\.[\w-]*)?/g },
  { to: "<email>", needs: /@/, pattern: /[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,5}/g },
  { to: "<url>", needs: /:\/\//, pattern: /\b[a-zA-Z][a-zA-Z\d+.-]{0,20}:\/\/[^\s"'<>`]+/g },
  { to: "<url>", needs: /data:/, pattern: /\bdata:[a-z]+\/[\w.+-]{1,40}[;,][^\s"'<>]*/g },
  {
    to: "<trace>",
    needs: digit,
    pattern: /\b(?:00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}|(?:Root=)?1-[0-9a-f]{8}-[0-9a-f]{24})\b/g,
  },
  {
    to: "<uuid>",
    needs: digit,
    pattern: /\b[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}\b/g,
  },
  {
    to: "<ip>",
    needs: digit,
    pattern: /(?<![\w.])(?:::ffff:)?(?:\d{1,3}\.){3}\d{1,3}(?:\/\d{1,2})?(?::\d{1,5})?(?![\w.]?\d)/g,
  },
  {
    to: "<date>",
    needs: /datetime\.|Timestamp\(|DateTime\(/,
    pattern:
      /\b(?:datetime\.(?:datetime|date|time|timedelta)|(?:pd\.)?Timestamp|DateTime)\([^()]{0,80}(?:\([^()]{0,40}\))?[^()]{0,40}\)/g,
  },
  {
    to: "<date>",
    needs: digit,
    pattern: new RegExp(String.raw`\b\d{4}([-/.])\d{1,2}\1\d{1,2}(?:(?:[T_ ]|, ?)${clock}${zone})?(?!\d)`, "g"),
  },
  {
    to: "<date>",
    needs: digit,
    pattern: new RegExp(String.raw`\b\d{8}T\d{4,6}(?:[.,]\d{1,9})?(?:Z|[+-]\d{2}:?\d{2})?\b`, "g"),
  },
  {
    to: "<date>",
    needs: digit,
    pattern: new RegExp(
      String.raw`\b(?:${weekday},? )?\d{1,2}(?:[ -])${month}(?:[ -])\d{2,4}(?:,? ${clock}${zone})?\b`,
      "g",
    ),
  },
  {
    to: "<date>",
    needs: digit,
    pattern: new RegExp(
      String.raw`\b(?:${weekday},? )?${month} {1,2}\d{1,2}(?:,? ${clock}${zone})?(?:,? \d{4})(?:,? ${clock}${zone})?(?!\w)`,
      "g",
    ),
  },
  {
    to: "<date>",
    needs: digit,
    pattern: new RegExp(String.raw`\b(?:${weekday},? )?${month} {1,2}\d{1,2},? ${clock}${zone}`, "g"),
  },
  {
    to: "<date>",
    needs: digit,
    pattern: new RegExp(
      String.raw`(?<![\w./-])\d{1,2}(?:([/-])\d{1,2}\1(?:\d{4}|\d{2})|\.\d{1,2}\.\d{4})(?:,? ${clock}${zone})?(?![\w/-])`,
      "g",
    ),
  },
  { to: "<mac>", needs: digit, pattern: /\b[0-9a-fA-F]{2}([:-])(?:[0-9a-fA-F]{2}\1){4}[0-9a-fA-F]{2}\b/g },
  {
    to: "<ip>",
    needs: /::|:[0-9a-fA-F]{1,4}:/,
    pattern: new RegExp(
      String.raw`(?<![\w:.])\[?(?:(?:${v6}:){7}${v6}|(?=[0-9a-fA-F:]{0,40}\d)(?:${v6}(?::${v6}){0,6})?::(?:${v6}(?::${v6}){0,6})?)(?:%\w{1,16})?(?:\/\d{1,3})?(?:\](?::\d{1,5})?)?(?![\w:])`,
      "g",
    ),
  },
  {
    to: "<ip>",
    needs: /:/,
    pattern: new RegExp(String.raw`(?<![\w:])(?=(?:[a-fA-F:]{0,39})\d)(?:${v6}:){3,7}${v6}?(?![\w:])`, "g"),
  },
  {
    to: "<time>",
    needs: digit,
    pattern: /\b\d{1,2}:\d{2}:\d{2}(?:[.,]\d{1,9})?(?: ?[AaPp][Mm])?\b|\b\d{1,2}(?::\d{2})? ?[AaPp][Mm]\b/g,
  },
  {
    to: "<host>",
    needs:
      /\.(?:com|org|net|edu|gov|internal|local|lan|corp|cloud|test|example|invalid|svc|home|arpa|io|dev|app|co|[a-z]{2})\b/,
    pattern:
      /(?<![\w.@/-])(?:[a-z\d](?:[a-z\d_-]{0,62})\.){1,8}(?:com|org|net|edu|gov|internal|local|localdomain|lan|corp|cloud|test|example|invalid|svc|home|arpa)(?::\d{1,5})?(?![\w-]|\.\w)/g,
  },
  {
    to: "<host>",
    needs: /\.(?:io|dev|app|co|[a-z]{2})\b/,
    pattern: /(?<![\w.@/-])(?:[a-z\d](?:[a-z\d_-]{0,62})\.){2,8}(?:io|dev|app|[a-z]{2})(?::\d{1,5})?(?![\w-]|\.\w|\()/g,
  },
  {
    to: "<host>",
    needs: /:\d/,
    pattern:
      /(?<![\w.@/-])(?:localhost|(?=[a-z-]{0,62}[\d-])[a-z][a-z\d-]{1,62}|[a-z\d](?:[a-z\d_-]{0,62})(?:\.[a-z\d_-]{1,63}){1,8}):\d{2,5}(?![\w:]|\.\d)/g,
  },
  { to: "<iso>", needs: /P(?:T|\d)/, pattern: /\bP(?:\d{1,9}[YMWD]){0,4}T?(?:\d{1,9}(?:\.\d{1,9})?[HMS]){1,3}\b/g },
  { to: "@<hex>", needs: /@[0-9a-f]/, pattern: /@(?:0x)?[0-9a-f]{5,16}\b/g },
  { to: "<hex>", needs: /0[xX]/, pattern: /\b0[xX][0-9a-fA-F]{1,128}\b/g },
  { to: "/<user>", needs: /(?:home|Users)[/\\]/, pattern: /(?<=[/\\](?:home|Users))[/\\][^/\\\s"':]{1,64}(?=[/\\])/g },
  { to: "/<temporary>", needs: /(?:tmp|temp|T)[/\\]/i, pattern: /(?<=[/\\](?:tmp|Temp|T))[/\\][^/\\\s"':]{1,100}/g },
  { to: "<id>", needs: digit, pattern: /\b[0-7][0-9A-HJKMNP-TV-Z]{25}\b/g },
  { to: "<id>", needs: digit, pattern: /\btx[0-9a-f]{16,32}-[0-9a-f]{8,12}\b/g },
  { to: "-<pod>", needs: digit, pattern: /-(?=[a-z]{0,10}\d)[a-z0-9]{8,10}-[a-z0-9]{5}\b/g },
  { to: "<id>", needs: digit, pattern: /\b[a-z]{2,6}_(?=[A-Za-z]{0,40}\d)[A-Za-z0-9]{14,64}\b/g },
  {
    to: "<hex>",
    needs: /[0-9a-fA-F]{4}/,
    pattern:
      /(?<![\w-])(?:[0-9a-f]{2}-){7,31}[0-9a-f]{2}\b|\b(?=[a-f]{0,127}\d)(?=\d{0,127}[a-f])(?!\d{1,9}e\d{1,3}\b)[0-9a-f]{4,128}\b|\b(?=[A-F]{0,127}\d)(?=\d{0,127}[A-F])[0-9A-F]{4,128}\b|\b[a-f]{8,128}\b/g,
  },
  {
    to: "<id>",
    needs: /\d[A-Za-z_-]{1,60}\d/,
    pattern:
      /(?<![\w-])(?=[\w-]{0,60}\d[A-Za-z_-]{1,60}\d)(?=[\w-]{0,60}[a-z])(?=[\w-]{0,60}[A-Z])(?=[A-Z_-]{0,2}[a-zA-Z\d]*[A-Za-z]\d)[A-Za-z\d](?:[\w-]{8,63})(?![\w-])/g,
  },
  { to: "<id>", needs: digit, pattern: /\b(?=[a-z]{0,40}\d[a-z\d]{0,40}[a-z]\d)(?=\d{0,40}[a-z])[a-z0-9]{16,64}\b/g },
  { to: "<percent>", needs: /%/, pattern: /[-+]?\b\d{1,20}(?:[.,]\d{1,20})? ?%/g },
  { to: "<size>", needs: digit, pattern: /\b\d{1,20}(?:[.,]\d{1,20})? ?(?:[kKMGTPE]i?[Bb]|[Bb]ytes?|B)\b/g },
  {
    to: "<duration>",
    needs: digit,
    pattern: /\b(?:\d{1,12}(?:\.\d{1,9})?(?:ns|µs|μs|us|ms|s|m|h|d)){1,6}(?![\w.]\d|\w)/g,
  },
  {
    to: "<duration>",
    needs: /sec|min|hour|day|milli|micro|nano/,
    pattern: /\b\d{1,12}(?:\.\d{1,9})? ?(?:nano|micro|milli)?(?:secs?|seconds?|mins?|minutes?|hours?|days?)\b/g,
  },
  {
    to: "<version>",
    needs: /\d\.\d+\.\d/,
    pattern: /\bv?\d{1,9}\.\d{1,9}\.\d{1,9}(?:\.\d{1,9})?(?:[-+][\w.]{1,40})?\b/g,
  },
  {
    to: "<float>",
    needs: /\d(?:\.\d|[eE])/,
    pattern: /[-+]?\b\d{1,20}(?:\.\d{1,20}(?:[eE][-+]?\d{1,4})?|[eE][-+]?\d{1,4})\b/g,
  },
  { to: "<int>", needs: /\d,\d{3}/, pattern: /-?\b\d{1,3}(?:,\d{3}){1,6}\b(?!,\d)/g },
  { to: "<int>", needs: digit, pattern: /(?<![\w)\]]-|[\w)\]])[-+]?\d{1,40}\b|\b\d{1,40}\b/g },
  { to: "<int>", needs: /_\d/, pattern: /(?<=[A-Za-z]_)\d{1,40}(?![A-Za-z\d])/g },
  { to: "<int>", needs: /\d_/, pattern: /(?<![A-Za-z\d])\d{1,40}(?=_[A-Za-z])/g },
  {
    to: "<int>",
    needs: /[a-z]\d\d/,
    pattern:
      /(?<=\b(?!(?:utf|sha|base|int|uint|float|ipv|win|http|iso|arm|amd|log|oauth|area|level|ascii|latin|windows|sse|avx|bcrypt|crc|aes|rsa|hmac|java|php|python|ruby|node|es|vm|gpt)\d)[A-Za-z]{3,30})\d{2,20}\b/g,
  },
  { to: "=<quoted>", needs: /=["']/, pattern: /="[^"]{0,200}"|='[^']{0,200}'/g },
  { to: "=<bool>", needs: /=[tfTF]/, pattern: /=(?:true|false|True|False|TRUE|FALSE)\b/g },
  { to: "$1", needs: />,/, pattern: /(<\w{1,12}>)(?:, ?\1){1,200}/g }, // a list is as long as it happens to be
];

/** A message with its variable parts replaced by their kind, so that `user 42` and `user 43` are one group. */
export function parametrise(text: string): string {
  let message = firstLines(text);
  for (const { to, pattern, needs } of variables) {
    if (needs === undefined || needs.test(message)) message = message.replace(pattern, to);
  }
  return message;
}

/** The first two lines that say something. */
function firstLines(text: string): string {
  const [first = "", second = ""] = text
    .slice(0, maxLength)
    .split(/\r?\n/)
    .filter((line) => line.trim() !== "");
  return second === "" ? first.trim() : `${first.trim()}\n${second.trim()}`;
}
