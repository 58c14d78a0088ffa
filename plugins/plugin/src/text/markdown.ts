import { cut } from "./clean-text.ts";

/** A foreign text in a code block of Markdown: its fence is longer than any run of backticks in the text, so that nothing in it acts. */
export function fenced(foreign: string): string {
  const longest = Math.max(0, ...[...foreign.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = "`".repeat(Math.max(3, longest + 1));
  return `${fence}\n${foreign}\n${fence}`;
}

/** A foreign text within a line of Markdown: marks are escaped, and an @ is no mention with a zero-width space behind it. */
export const escapedMarkdown = (foreign: string): string =>
  foreign.replaceAll(/[\\*_~`|>#[\]()<!:]/g, String.raw`\$&`).replaceAll("@", "@\u200b");

/**
 * A foreign text as a title for GitLab and GitHub, where it cannot be fenced: a zero-width space behind each sign that begins a
 * mention or a reference, and within what looks like a commit, an issue of another tracker, or an address.
 */
export function inertTitle(foreign: string, longest: number): string {
  const inert = foreign
    .replaceAll(/[@#!$%&~^*[\]`\\]/g, "$&\u200b")
    .replaceAll(/\b([\da-f]{3})(?=[\da-f]{4,37}\b)/gi, "$1\u200b")
    .replaceAll(/\b([A-Z][A-Z\d_]*-)(?=\d)/g, "$1\u200b")
    .replaceAll(/:(?=\/\/)/g, ":\u200b");
  return cut(inert, longest);
}
