/** A foreign text in a code block of Markdown: its fence is longer than any run of backticks in the text, so that nothing in it acts. */
export function fenced(foreign: string): string {
  const longest = Math.max(0, ...[...foreign.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = "`".repeat(Math.max(3, longest + 1));
  return `${fence}\n${foreign}\n${fence}`;
}

/** A foreign text within a line of Markdown: marks are escaped, and an @ is no mention with a zero-width space behind it. */
export const escapedMarkdown = (foreign: string): string =>
  foreign.replaceAll(/[\\*_~`|>#[\]()<!:]/g, String.raw`\$&`).replaceAll("@", "@\u200b");
