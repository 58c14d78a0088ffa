import { fenced } from "../channels/fenced.ts";
import { cut } from "../messages/clean-text.ts";
import type { IssueComment, IssueText } from "./issue-text.ts";

/** Before the mark in each text: what people see of it. */
export const markLabel = "Faultline reference";

/** The body of an issue for GitLab and GitHub: all foreign text is within one fence, where nothing acts. */
export const issueMarkdown = ({ facts, foreign, url, mark }: IssueText): string =>
  [
    "### Error details",
    [`- Faultline error: ${url}`, ...facts.map((fact) => `- ${fact}`)].join("\n"),
    fenced(foreign.join("\n")),
    `${markLabel}: ${mark}`,
  ].join("\n\n");

export const commentMarkdown = ({ sentence, foreign, url, mark }: IssueComment): string =>
  [`${sentence}\n${url}`, ...(foreign.length === 0 ? [] : [fenced(foreign.join("\n"))]), `${markLabel}: ${mark}`].join(
    "\n\n",
  );

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
