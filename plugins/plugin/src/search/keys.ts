import type { Named, Pattern, Term } from "./term.ts";

/**
 * The kinds of keys. `choice` is one of a few values. `text` is a column that contains the text. `value` is a column or
 * a tag that equals the value. `number` and `time` are compared. `release` is a tag with ordered versions.
 */
type Kind = "choice" | "text" | "value" | "number" | "time" | "release";

export interface SearchKey {
  readonly kind: Kind;
  /** The values of the key in words, for help and suggestions. */
  readonly meaning: string;
  /** Other spellings, in lower case. */
  readonly aliases?: readonly string[];
  /** The tags that hold its values. Undefined if no tag does. */
  readonly tags?: readonly string[];
  /**
   * Texts that may precede and follow a searched value: `release:1.2.0` also finds `web@1.2.0+7`. Undefined if there
   * are none.
   */
  readonly before?: readonly string[];
  readonly after?: readonly string[];
  /** The values of a choice, each with its other spellings. */
  readonly choices?: Readonly<Record<string, readonly string[]>>;
}

/** A release is `<package>@<version>+<build>`. A search may name only a part of it. */
const ofRelease = { before: ["@", "+"], after: ["+", "@"] } as const;

/** The characters before a version, so that `Safari` and `Safari 17` find `Safari 17.1`. */
const versions = [" ", "."] as const;

/** The keys of the language in the order of the help. Every other key is the name of a tag. */
export const searchKeys = {
  is: {
    kind: "choice",
    meaning: "Status of the error",
    choices: { unresolved: [], resolved: [], ignored: ["archived", "muted"] },
  },
  level: {
    kind: "choice",
    meaning: "Level of its newest event",
    choices: { fatal: ["critical"], error: [], warning: ["warn"], info: [], debug: [] },
  },
  release: {
    kind: "release",
    meaning: "A release in which it occurred",
    aliases: ["version", "release.version", "release.package", "release.build"],
    tags: ["release"],
    ...ofRelease,
  },
  firstRelease: {
    kind: "release",
    meaning: "The release in which it first occurred",
    aliases: ["first-release"],
    ...ofRelease,
  },
  environment: {
    kind: "value",
    meaning: "An environment in which it occurred",
    aliases: ["env"],
    tags: ["environment"],
  },
  "user.id": { kind: "value", meaning: "Id of an affected user" },
  "user.email": { kind: "value", meaning: "E-mail address of an affected user" },
  "user.username": { kind: "value", meaning: "Name of an affected user", aliases: ["user.name"] },
  "user.ip": { kind: "value", meaning: "IP address of an affected user", aliases: ["user.ip_address"] },
  user: { kind: "value", meaning: "Id, e-mail address, name or IP address of an affected user" },
  browser: {
    kind: "value",
    meaning: "Browser of a user, with or without its version",
    tags: ["browser", "browser.name"],
    aliases: ["browser.name"],
    after: versions,
  },
  os: {
    kind: "value",
    meaning: "Operating system, with or without its version",
    tags: ["os", "os.name"],
    aliases: ["os.name"],
    after: versions,
  },
  device: {
    kind: "value",
    meaning: "Model or family of a device",
    tags: ["device", "device.family", "device.model"],
    aliases: ["device.family", "device.model"],
    after: versions,
  },
  runtime: {
    kind: "value",
    meaning: "Runtime of the program, with or without its version",
    tags: ["runtime", "runtime.name"],
    aliases: ["runtime.name"],
    after: versions,
  },
  file: {
    kind: "value",
    meaning: "File in which an event occurred, or the end of its path",
    tags: ["stack.filename"],
    aliases: ["filename", "stack.filename"],
    before: ["/", "\\"],
  },
  function: {
    kind: "value",
    meaning: "Function in which an event occurred",
    tags: ["stack.function"],
    aliases: ["stack.function"],
    before: [".", "::", "#", "->"],
  },
  transaction: { kind: "value", meaning: "The route or job that failed" },
  url: {
    kind: "value",
    meaning: "Address of the failed request",
    aliases: ["http.url", "request.url"],
    tags: ["url"],
  },
  type: { kind: "value", meaning: "Type of the exception", aliases: ["error.type"] },
  value: { kind: "text", meaning: "Text in the exception's value", aliases: ["error.value"] },
  message: { kind: "text", meaning: "Text in title or value", aliases: ["title"] },
  culprit: { kind: "text", meaning: "Text in the place of the error", aliases: ["location"] },
  platform: { kind: "value", meaning: "Platform of its SDK" },
  handled: {
    kind: "choice",
    meaning: "Whether the application handled the exception",
    aliases: ["error.handled"],
    tags: ["handled"],
    choices: { true: ["yes", "1"], false: ["no", "0"] },
  },
  firstSeen: { kind: "time", meaning: "Time of its first event", aliases: ["age", "first-seen"] },
  lastSeen: { kind: "time", meaning: "Time of its newest event", aliases: ["last-seen"] },
  timesSeen: { kind: "number", meaning: "Number of its events", aliases: ["events", "times-seen"] },
  users: { kind: "number", meaning: "Number of affected users" },
} as const satisfies Readonly<Record<string, SearchKey>>;

const byName: ReadonlyMap<string, string> = new Map(
  Object.entries<SearchKey>(searchKeys).flatMap(([key, { aliases = [] }]) =>
    [key.toLowerCase(), ...aliases].map((name) => [name, key]),
  ),
);

/** The key with this name in any of its spellings, ignoring case. Undefined if it is the name of a tag. */
export const keyNamed = (name: string): string | undefined => byName.get(name.toLowerCase());

/** The description of a key in its usual spelling. */
export const searchKey = (key: string): SearchKey | undefined => (searchKeys as Record<string, SearchKey>)[key];

/** The tags with the values of a key of the language, or the tag itself. */
export const tagsOf = ({ key, isTag }: Named): readonly string[] => (isTag ? [key] : (searchKey(key)?.tags ?? []));

/**
 * The patterns of the values that a pattern finds: `release:1.2.0` also finds `web@1.2.0+7`. The first is the pattern
 * itself.
 */
export function valueForms({ key, isTag }: Named, pattern: Pattern): readonly Pattern[] {
  const { kind, before = [], after = [] } = (isTag ? undefined : searchKey(key)) ?? {};
  // The parts of a release have a fixed order: the package is first, and the build is last.
  const has = (mark: string) => kind === "release" && pattern.some((part, n) => part.includes(mark, n === 0 ? 1 : 0));
  const starts = pattern[0] === "" || has("@") ? [] : before;
  const ends = pattern.length > 1 && pattern.at(-1) === "" ? [] : after.filter((mark) => !has("+") && !has(mark));
  const begun = [pattern, ...starts.map((mark) => withStart(pattern, mark))];
  const whole = begun.flatMap((form) => [form, ...ends.map((mark) => withEnd(form, mark))]);
  return kind === "release" && isCommit(pattern) ? [...whole, ...begun.map((form) => withEnd(form, ""))] : whole;
}

/** Whether it is the beginning of a commit, in the form that pages show. */
const isCommit = ([first, ...others]: Pattern) =>
  others.length === 0 && /^(?:(?=.*[a-f])[0-9a-f]{7,39}|\d{10,39})$/i.test(first);

const withStart = ([first, ...others]: Pattern, mark: string): Pattern => ["", mark + first, ...others];

function withEnd(pattern: Pattern, mark: string): Pattern {
  const [first, ...others] = pattern;
  const last = others.pop();
  return last === undefined ? [first + mark, ""] : [first, ...others, last + mark, ""];
}

/** Whether patterns of a key find a value. Case does not matter. */
export function isAskedFor(value: string, named: Named, patterns: readonly Pattern[]): boolean {
  const small = value.toLowerCase();
  return patterns.some((pattern) => valueForms(named, pattern).some((form) => isLike(small, smallOf(form))));
}

const smallOf = ([first, ...others]: Pattern): Pattern => [
  first.toLowerCase(),
  ...others.map((part) => part.toLowerCase()),
];

/** Whether a value contains the texts of a pattern in order. */
function isLike(value: string, [first, ...others]: Pattern): boolean {
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

/** Writes a search. Reading it gives the same terms. */
export const printSearch = (terms: readonly Term[]) => terms.map((term) => printTerm(term)).join(" ");

/** Writes a term. `name` is the key's name in a system with other names. */
export function printTerm(term: Term, name = term.of === "text" ? "" : writtenName(term)): string {
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

function writtenName({ key, isTag }: Named): string {
  const isPlain = /^(?=.*\p{L})[\p{L}\p{N}_.-]+$/u.test(key) && !/^(?:all|has|tags|[a-z])$/i.test(key);
  if (!isTag || (isPlain && keyNamed(key) === undefined)) return key;
  return key.includes("]") ? `"${key}"` : `tags[${key}]`;
}

/** The value, in quotes only if it needs them. */
function quoted(value: Pattern): string {
  const text = value.map((part) => part.replace(/[\\*"]/g, (sign) => `\\${sign}`)).join("*");
  return /^[^\s"()[\],:!<>=\\*]+(?:\*[^\s"()[\],:!<>=\\*]*)*$/.test(text) && !/^(?:OR|AND|NOT)$/.test(text)
    ? text
    : `"${text}"`;
}
