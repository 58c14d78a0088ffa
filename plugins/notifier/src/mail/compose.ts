import { cleanLine, escapedHtml } from "@faultline/plugin/text";
import type { Letter } from "./letters.ts";
import { hexColorOf, type Message } from "../messages/message.ts";

const font = "font-family:-apple-system,BlinkMacSystemFont,'Segoe UI',Roboto,Helvetica,Arial,sans-serif";
const mono = "font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,monospace";
const table = `role="presentation" cellpadding="0" cellspacing="0" border="0"`;
/** Foreign words may have no place to break. */
const breaks = "overflow-wrap:anywhere;word-break:break-word";

/**
 * The dark theme, for mail readers that follow the system's theme. Everything else is inline, because many mail readers
 * drop style sheets.
 */
const darkStyle = `@media (prefers-color-scheme:dark){.page{background:#14161a!important}.card{background:#1d2026!important;border-right-color:#343943!important;border-bottom-color:#343943!important;border-left-color:#343943!important}.strong{color:#eceef2!important}.plain{color:#c9cdd6!important}.soft{color:#a3a9b6!important}.code{background:#14161a!important}}`;

/** The mail as HTML: tables with inline style, no external content, and only our links. */
function htmlPart(letter: Letter): string {
  return [
    `<!doctype html><html lang="en"><head><meta charset="utf-8">`,
    `<meta name="viewport" content="width=device-width,initial-scale=1">`,
    `<meta name="color-scheme" content="light dark"><meta name="supported-color-schemes" content="light dark">`,
    `<title>${escapedHtml(letter.subject)}</title><style>:root{color-scheme:light dark}${darkStyle}</style></head>`,
    `<body class="page" style="margin:0;padding:0;background:#f3f4f6">`,
    `<table ${table} width="100%" class="page" style="background:#f3f4f6"><tr><td align="center" style="padding:20px 10px">`,
    `<table ${table} width="100%" style="max-width:600px">`,
    `<tr><td class="card" style="background:#ffffff;border:1px solid #d9dce3;border-top:4px solid ${hexColorOf(letter.level)};padding:20px;text-align:left">`,
    ...cardOf(letter),
    `</td></tr><tr><td style="padding:14px 20px;text-align:left">${footOf(letter)}</td></tr>`,
    `</table></td></tr></table></body></html>`,
  ].join("\n");
}

function cardOf({ head, title, place, lines, facts, note, button }: Letter): string[] {
  const paragraph = (className: string, style: string, inner: string) =>
    `<p class="${className}" style="margin:0 0 12px;${font};${style};${breaks}">${inner}</p>`;
  return [
    paragraph("soft", "font-size:14px;line-height:20px;color:#5b6270", escapedHtml(head)),
    paragraph("strong", "font-size:18px;line-height:25px;font-weight:600;color:#15181e", inert(title, button.url)),
    place === ""
      ? ""
      : `<p class="code plain" style="margin:0 0 12px;padding:8px 10px;background:#f3f4f6;${mono};font-size:13px;line-height:19px;color:#363c48;${breaks}">${inert(place, button.url)}</p>`,
    ...lines.map((line) =>
      paragraph(
        "plain",
        "font-size:14px;line-height:20px;color:#363c48",
        `${escapedHtml(line.headline)}: ${inert(line.title, line.url, "text-decoration:underline")}`,
      ),
    ),
    factsOf(facts, button.url),
    note === ""
      ? ""
      : paragraph("plain", "font-size:14px;line-height:20px;color:#363c48", escapedHtml(note).replaceAll("\n", "<br>")),
    `<table ${table}><tr><td style="background:#1f5fae;border-radius:4px"><a href="${escapedHtml(button.url)}" style="display:inline-block;padding:10px 18px;${font};font-size:14px;line-height:20px;font-weight:600;color:#ffffff;text-decoration:none">${escapedHtml(button.label)}</a></td></tr></table>`,
  ].filter((part) => part !== "");
}

function factsOf(facts: Letter["facts"], url: string): string {
  if (facts.length === 0) return "";
  const cell = `${font};font-size:14px;line-height:20px;padding:3px 0;vertical-align:top`;
  const rows = facts.map(
    ({ label, value }) =>
      `<tr><td class="soft" style="${cell};padding-right:16px;color:#5b6270;white-space:nowrap">${escapedHtml(label)}</td>` +
      `<td class="plain" style="${cell};color:#363c48;${breaks}">${inert(value, url)}</td></tr>`,
  );
  return `<table ${table} style="margin:0 0 16px">${rows.join("")}</table>`;
}

function footOf({ foot, unsubscribe }: Letter): string {
  const style = `margin:0 0 6px;${font};font-size:13px;line-height:19px;color:#5b6270;${breaks}`;
  const link = unsubscribe
    ? [
        `<a href="${escapedHtml(unsubscribe.url)}" class="soft" style="color:#5b6270">${escapedHtml(unsubscribe.label)}</a>`,
      ]
    : [];
  return [...foot.map(escapedHtml), ...link].map((inner) => `<p class="soft" style="${style}">${inner}</p>`).join("");
}

/**
 * A stranger's text inside a link of ours that looks like text. Mail readers turn addresses in a text into links, but
 * not inside a link. The note of a rule is not wrapped, because a member of the project wrote it and may mean such an
 * address.
 */
const inert = (text: string, ourUrl: string, style = "text-decoration:none"): string =>
  `<a href="${escapedHtml(ourUrl)}" style="color:inherit;${style}">${escapedHtml(text)}</a>`;

/** RFC 5322, 2.1.1: lines should have no more than 78 characters. */
const columns = 78;

/** The mail as plain text. Only our own addresses may be longer than a line, because a broken address leads nowhere. */
function textPart(letter: Letter): string {
  const { head, title, place, lines, facts, note, button, foot, unsubscribe } = letter;
  const widest = Math.max(0, ...facts.map(({ label }) => label.length)) + 2;
  const blocks = [
    wrapped(head),
    [...wrapped(title), ...wrapped(place)],
    lines.flatMap((line) => [...wrapped(`- ${line.headline}: ${line.title}`, "  "), `  ${line.url}`]),
    facts.flatMap(({ label, value }) => wrapped(`${`${label}:`.padEnd(widest)}${value}`, " ".repeat(widest))),
    wrapped(note),
    [`${button.label}:`, button.url],
    ["-- ", ...foot.flatMap((sentence) => wrapped(sentence))],
    unsubscribe ? [`${unsubscribe.label}:`, unsubscribe.url] : [],
  ];
  return `${blocks
    .filter((block) => block.length > 0)
    .map((block) => block.join("\n"))
    .join("\n\n")}\n`;
}

/**
 * The lines of a text, broken between words, and within words that are longer than a line. Later lines are indented.
 */
function wrapped(text: string, indent = ""): string[] {
  return text.split("\n").flatMap((line) => wrappedLine(line, indent));
}

function wrappedLine(text: string, indent: string): string[] {
  const lines: string[] = [];
  let rest = [...text.trimEnd()]; // by code point, so that no character is split
  while (rest.length > 0) {
    const before = lines.length === 0 ? "" : indent;
    const room = columns - before.length;
    const space = rest.length > room ? rest.slice(0, room + 1).lastIndexOf(" ") : -1;
    const end = rest.length <= room ? rest.length : space > room / 2 ? space : room;
    lines.push(before + rest.slice(0, end).join("").trimEnd());
    rest = [...rest.slice(end).join("").trimStart()];
  }
  return lines;
}

/** A mail to one person, before it is encoded. */
export interface Mail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  readonly messageId: string;
  readonly date: Date;
  /** Printable ASCII, shorter than a line of 998 characters. */
  readonly headers: Readonly<Record<string, string>>;
}

/** The mail of a letter. `uid` is the same in each try. `host` is the host of the console's address. */
export const composeMail = (
  letter: Letter,
  { to, uid, host, at, headers = {} }: { to: string; uid: string; host: string; at: number; headers?: Mail["headers"] },
): Mail => ({
  to,
  subject: letter.subject,
  text: textPart(letter),
  html: htmlPart(letter),
  messageId: `<d.${uid}@${host}>`,
  date: new Date(at),
  // RFC 3834, 5, and Exchange's own header: automatic replies are unwanted.
  headers: { "Auto-Submitted": "auto-generated", "X-Auto-Response-Suppress": "All", ...headers },
});

/**
 * The headers of a mail about errors: its thread (all mails of an error refer to the same id), its list (RFC 2919), and
 * unsubscribing with one click (RFC 8058).
 */
export function listHeaders(
  { kind, project, errorId, thread }: Message,
  { projectId, host, unsubscribeUrl }: { projectId: number; host: string; unsubscribeUrl: string },
): Record<string, string> {
  const id = `<e.${thread.replaceAll(/[^\w.-]/g, "_").slice(0, 200)}@${host}>`;
  return {
    ...(errorId !== "" && { "In-Reply-To": id, References: id, "X-Faultline-Error": inHeader(errorId) }),
    "List-ID": `"${inHeader(project)}" <p${projectId}.${host}>`,
    "List-Unsubscribe": `<${unsubscribeUrl}>`,
    "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
    "X-Faultline-Project": inHeader(project),
    "X-Faultline-Reason": kind,
  };
}

/** Removes characters with a meaning in headers. Paths of projects have none. */
const inHeader = (text: string): string => cleanLine(text, 200).replaceAll(/[^\w./@+ -]/g, "_");
