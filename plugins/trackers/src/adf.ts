import type { IssueComment, IssueText } from "./issue-text.ts";
import { markLabel } from "./markdown.ts";

/** Jira's documents (Atlassian Document Format): nodes without markup, so that foreign text stays text. */

type Node = { readonly type: string; readonly [field: string]: unknown };

export const issueDocument = ({ facts, foreign, url, mark }: IssueText): Node =>
  documentOf(
    paragraph(text("Faultline error: "), link(url)),
    { type: "bulletList", content: facts.map((fact) => ({ type: "listItem", content: [paragraph(text(fact))] })) },
    code(foreign),
    paragraph(text(`${markLabel}: ${mark}`)),
  );

export const commentDocument = ({ sentence, foreign, url, mark }: IssueComment): Node =>
  documentOf(
    paragraph(text(`${sentence} `), link(url)),
    ...(foreign.length === 0 ? [] : [code(foreign)]),
    paragraph(text(`${markLabel}: ${mark}`)),
  );

const documentOf = (...content: Node[]): Node => ({ type: "doc", version: 1, content });
const paragraph = (...content: Node[]): Node => ({ type: "paragraph", content });
const text = (content: string): Node => ({ type: "text", text: content });
const link = (href: string): Node => ({ type: "text", text: href, marks: [{ type: "link", attrs: { href } }] });
const code = (lines: readonly string[]): Node => ({ type: "codeBlock", content: [text(lines.join("\n") || " ")] });
