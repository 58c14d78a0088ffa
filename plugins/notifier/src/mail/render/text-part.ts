import type { Letter } from "./letter.ts";

/** RFC 5322, 2.1.1: lines should have no more than 78 characters. */
const columns = 78;

/** The mail as plain text. Only our own addresses may be longer than a line, as a broken one would lead nowhere. */
export function textPart(letter: Letter): string {
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

/** The lines of a text, broken between words, and within those that are longer than a line. Later lines get the indent. */
function wrapped(text: string, indent = ""): string[] {
  return text.split("\n").flatMap((line) => wrappedLine(line, indent));
}

function wrappedLine(text: string, indent: string): string[] {
  const lines: string[] = [];
  let rest = [...text.trimEnd()]; // by code point, so that none is broken
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
