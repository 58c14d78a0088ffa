import { fenced } from "@faultline/plugin/text";
import type { IssueComment, IssueText } from "./issue-text.ts";

/** The label in front of the mark in each text. */
export const markLabel = "Faultline reference";

/** The body of an issue for GitLab and GitHub. All foreign text is inside one fence, which disables its markup. */
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
