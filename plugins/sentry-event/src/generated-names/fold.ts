/**
 * A part of names that a compiler, a runtime or a build generates, and that differs between builds of the same code. Patterns are
 * tried in order, each on the result of those before it.
 */
export interface NameRule {
  /** A text without this text is not tried: comparing is ten times as quick as a pattern. */
  readonly has?: string;
  /** May not backtrack over more than one part; names have 256 characters at most. */
  readonly pattern: RegExp;
  /** The replacement; `$1` as in `String.replace`. Empty by default. */
  readonly to?: string;
  /** Whether the part is noise for people, too. `Cart#save` is a better name than `save`, so its class is not noise. */
  readonly noise?: true;
  /** Whether the part says that the function has no name. */
  readonly unnamed?: true;
}

/** A name without generated parts. */
export interface FoldedName {
  /** Empty if nothing is left. */
  readonly name: string;
  /** Whether it names no place by itself, like an anonymous function in a file with several. */
  readonly isUnnamed: boolean;
}

export const nameless: FoldedName = { name: "", isUnnamed: true };

/** A name without what the rules take. */
export function foldBy(rules: readonly NameRule[], sent: string): FoldedName {
  let name = sent;
  let isUnnamed = false;
  for (const { has, pattern, to = "", unnamed } of rules) {
    if (has !== undefined && !name.includes(has)) continue;
    if (unnamed) {
      if (name.search(pattern) < 0) continue;
      isUnnamed = true;
    }
    name = name.replace(pattern, to);
  }
  return name === "" ? nameless : { name, isUnnamed };
}

/** The platforms that name things alike. */
export type Family =
  "script" | "jvm" | "php" | "ruby" | "python" | "dotnet" | "go" | "binary" | "beam" | "dart" | "perl" | "other";

/** A family, or browsers, where scripts have addresses. */
export type Naming = Family | "browser";

const families: Readonly<Record<string, Family>> = {
  javascript: "script",
  node: "script",
  java: "jvm",
  kotlin: "jvm",
  scala: "jvm",
  clojure: "jvm",
  groovy: "jvm",
  android: "jvm",
  php: "php",
  ruby: "ruby",
  python: "python",
  csharp: "dotnet",
  fsharp: "dotnet",
  vb: "dotnet",
  dotnet: "dotnet",
  go: "go",
  native: "binary",
  rust: "binary",
  c: "binary",
  cocoa: "binary",
  objc: "binary",
  swift: "binary",
  elixir: "beam",
  erlang: "beam",
  dart: "dart",
  perl: "perl",
};

/** The family of a platform, as an event or a frame names it. */
export const familyOf = (platform: string): Family => families[platform] ?? "other";
