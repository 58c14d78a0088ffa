import { invalidField } from "./service-error.ts";

/** Control characters except line breaks, and characters that change the direction of text and can disguise it. */
const unwanted = /(?!\n)[\p{Cc}\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

/**
 * A foreign text that is safe to show: well-formed, in one normal form, without control characters, cut by code point.
 */
export function cleanText(text: string, longest: number): string {
  // Cut first, generously, so that a text of a megabyte costs no more than a short text.
  const clean = text
    .slice(0, 4 * longest)
    .toWellFormed()
    .normalize("NFC")
    .replaceAll(unwanted, "");
  return cut(clean, longest);
}

/** Like `cleanText`, on one line. */
export const cleanLine = (text: string, longest: number): string =>
  cut(cleanText(text, longest).replaceAll(/\s+/gu, " ").trim(), longest);

/** Cuts a text to a number of UTF-16 units, the unit of most limits, without splitting a surrogate pair. */
export function cut(text: string, longest: number): string {
  if (text.length <= longest) return text;
  return `${text.slice(0, Math.max(0, longest - 1)).replace(/[\ud800-\udbff]$/u, "")}…`;
}

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/**
 * A text escaped for HTML, between tags or in a quoted attribute. All texts in HTML outside of the console pass through
 * it.
 */
export const escapedHtml = (text: string): string => text.replaceAll(/[&<>"']/g, (mark) => entities[mark] ?? "");

/**
 * A text escaped for Slack's markup, and for the HTML subset of Google Chat's widgets. The characters * _ ~ ` cannot be
 * escaped there; at worst they change a typeface.
 */
export const escapedMarkup = (foreign: string): string =>
  foreign.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

/**
 * A foreign text in a code block of Markdown. The fence is longer than any run of backticks in the text, so that the
 * text stays inert.
 */
export function fenced(foreign: string): string {
  const longest = Math.max(0, ...[...foreign.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = "`".repeat(Math.max(3, longest + 1));
  return `${fence}\n${foreign}\n${fence}`;
}

/**
 * A foreign text within a line of Markdown: markup is escaped, and a zero-width space after an @ prevents a mention.
 */
export const escapedMarkdown = (foreign: string): string =>
  foreign.replaceAll(/[\\*_~`|>#[\]()<!:]/g, String.raw`\$&`).replaceAll("@", "@\u200b");

/**
 * A foreign text as a title for GitLab and GitHub, where it cannot be fenced: a zero-width space follows each character
 * that begins a mention or a reference, and splits texts that look like a commit, an issue of another tracker, or an
 * address.
 */
export function inertTitle(foreign: string, longest: number): string {
  const inert = foreign
    .replaceAll(/[@#!$%&~^*[\]`\\]/g, "$&\u200b")
    .replaceAll(/\b([\da-f]{3})(?=[\da-f]{4,37}\b)/gi, "$1\u200b")
    .replaceAll(/\b([A-Z][A-Z\d_]*-)(?=\d)/g, "$1\u200b")
    .replaceAll(/:(?=\/\/)/g, ":\u200b");
  return cut(inert, longest);
}

const longest = 80;

/** A valid name for something that people set up. */
export function checkedName(name: string): string {
  const trimmed = name.trim();
  if (trimmed !== "" && trimmed.length <= longest && !/\p{Cc}/u.test(trimmed)) return trimmed;
  throw invalidField("name", `Enter a name of 1 to ${longest} characters.`);
}

/** Returns the name, unless another entry of the list has it. */
export function refuseTakenName(others: readonly { readonly name: string }[], name: string): string {
  if (others.every((other) => other.name.toLowerCase() !== name.toLowerCase())) return name;
  throw invalidField("name", `The name ${name} is already in use. Choose another name.`);
}

/** A project in messages. */
export interface ProjectPlace {
  readonly path: string;
  /** The address of the project's list of errors. */
  readonly url: string;
}

/** The path and the address of a project's errors in the console. */
export const projectPlace = (path: string, baseUrl: string): ProjectPlace => ({
  path,
  url: `${baseUrl.replace(/\/+$/, "")}/${path}/-/error_tracking`,
});

const atom = "[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+";
const label = "[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?";
const mailAddress = new RegExp(`^(?=.{1,64}@)${atom}(?:\\.${atom})*@${label}(?:\\.${label})*$`);

/**
 * Whether mail may be sent to the text: one address of dot-atoms (RFC 5321, 4.1.2) with at most 254 ASCII characters.
 * Quoted names, literal addresses, lists, comments and line breaks are refused.
 */
export const isMailAddress = (text: string): boolean => text.length <= 254 && mailAddress.test(text);
