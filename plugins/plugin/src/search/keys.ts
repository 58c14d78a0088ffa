import type { Named } from "./term.ts";

/**
 * The kinds of keys. `choice`: one of a few values. `text`: a column that contains the text. `value`: a column or a tag
 * that equals the value. `number`, `time`: compared. `release`: a tag whose versions have an order.
 */
type Kind = "choice" | "text" | "value" | "number" | "time" | "release";

export interface SearchKey {
  readonly kind: Kind;
  /** What it compares, for help and suggestions. */
  readonly meaning: string;
  /** Other spellings, in lower case. */
  readonly aliases?: readonly string[];
  /** The tags that have its values. Absent: no tag has. */
  readonly tags?: readonly string[];
  /**
   * Texts that may stand before and after a value which is asked for: `release:1.2.0` asks for `web@1.2.0+7` as well.
   * Absent: none.
   */
  readonly before?: readonly string[];
  readonly after?: readonly string[];
  /** The values of a choice, each with its other spellings. */
  readonly choices?: Readonly<Record<string, readonly string[]>>;
}

/** A release is `<package>@<version>+<build>`, and one of the parts is enough. */
const ofRelease = { before: ["@", "+"], after: ["+", "@"] } as const;

/** What a version follows: `Safari 17.1` after `Safari`, and after `Safari 17`. */
const versions = [" ", "."] as const;

/** The keys of the language in the order in which help lists them; every other key is the name of a tag. */
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

/** The key of a name in any of its spellings, without regard to case; undefined: it is the name of a tag. */
export const keyNamed = (name: string): string | undefined => byName.get(name.toLowerCase());

/** The description of a key in its usual spelling. */
export const searchKey = (key: string): SearchKey | undefined => (searchKeys as Record<string, SearchKey>)[key];

/** The tags with the values of a key of the language, or the tag itself. */
export const tagsOf = ({ key, isTag }: Named): readonly string[] => (isTag ? [key] : (searchKey(key)?.tags ?? []));
