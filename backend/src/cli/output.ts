import { styleText } from "node:util";
import truncatedWidth from "fast-string-truncated-width";
import { InvalidArgumentError } from "commander";

/** The exit code that a shell reports for a program ended by SIGPIPE. */
const closedPipe = 141;

/**
 * Ends the command when nobody reads its output any more, such as with `| head -1`: quietly like other programs, and
 * not with 0, because the output is cut off. A backup does not stop if nobody reads its progress.
 */
export function watchOutput(): void {
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code === "EPIPE") process.exit(closedPipe);
    end(`The output cannot be written: ${error.message}.`);
  });
  process.stderr.on("error", () => undefined);
}

let isJson = false;

/** Makes the command print JSON at a terminal, too. */
export function printJson(wanted: boolean): void {
  isJson = wanted;
}

/**
 * Writes a body of REST: as a table at a terminal, otherwise as JSON, with one line for each entry of a list.
 * `columns`: see `tableOf`.
 */
export function print(body: unknown, columns?: readonly string[]): void {
  if (isJson || !process.stdout.isTTY) {
    for (const one of Array.isArray(body) ? body : [body]) printLine(one);
  } else if (!Array.isArray(body) || body.length > 0) {
    const heading = (text: string) => styleText("bold", text); // Node heeds NO_COLOR, FORCE_COLOR and TERM
    process.stdout.write(tableOf(body, { width: process.stdout.columns || 80, heading }, columns));
  }
}

/** Writes any value as one line of JSON, also at a terminal. */
export function printLine(value: unknown): void {
  process.stdout.write(`${JSON.stringify(value)}\n`);
}

/** Prints a message to standard error: progress of long work, or a note about a result. */
export function progress(text: string): void {
  process.stderr.write(`${text}\n`);
}

/** A whole number from the command line. Refuses anything else, and numbers below 1. */
export function wholeNumber(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new InvalidArgumentError("Give a whole number from 1 on.");
  return Number(text);
}

/** A fault that the person at the command line can fix. */
export class CommandFault extends Error {}

/** Fails a command if some of its ids name nothing. The other ids are done. */
export function refuseUnknown(things: string, ids: readonly string[], place: string): void {
  if (ids.length > 0) throw new CommandFault(`There are no such ${things} ${place}: ${ids.join(", ")}.`);
}

/** Prints the reason of the failure and ends with exit code 1. */
export function end(reason: string): never {
  process.stderr.write(`faultline: ${reason}\n`);
  process.exit(1);
}

/** The terminal that a table is made for. */
interface Terminal {
  /** Columns of characters. */
  readonly width: number;
  /** Emphasizes a heading if the terminal shows colors. */
  readonly heading: (text: string) => string;
}

type Row = Readonly<Record<string, unknown>>;

const gap = 2;
/** A cell is cut to this width before a column is left out. */
const readableWidth = 24;

/**
 * A body of REST for people: a list as a table, an object as its fields with its lists below. `columns`: the fields
 * that a list shows, in this order. By default, a list shows the fields with a value that fit the terminal.
 */
export function tableOf(body: unknown, terminal: Terminal, columns?: readonly string[]): string {
  if (Array.isArray(body))
    return body.every(isRow) ? listOf(body, terminal, columns) : `${body.map(cell).join("\n")}\n`;
  return isRow(body) ? recordOf(body, terminal) : `${cell(body)}\n`;
}

function listOf(rows: readonly Row[], terminal: Terminal, columns?: readonly string[]): string {
  const names = columns ?? namesOf(rows);
  const cells = names.map((name) => rows.map((row) => cell(row[name])));
  const natural = names.map((name, at) => Math.max(name.length, ...(cells[at] ?? []).map(widthOf)));
  const widths = fitted(natural, terminal.width);
  const isNumber = widths.map((_, at) => rows.every((row) => typeof row[names[at] ?? ""] === "number"));
  const line = (texts: readonly string[]) =>
    widths
      .map((width, at) => padded(texts[at] ?? "", width, isNumber[at] === true))
      .join(" ".repeat(gap))
      .trimEnd();
  return [terminal.heading(line(names)), ...rows.map((_, at) => line(cells.map((column) => column[at] ?? "")))]
    .map((text) => `${text}\n`)
    .join("");
}

/** The fields with a value in the rows, lists and objects last. */
function namesOf(rows: readonly Row[]): string[] {
  const names = [...new Set(rows.flatMap(Object.keys))].filter((name) => rows.some((row) => cell(row[name]) !== ""));
  const isPlain = (name: string) => rows.every((row) => typeof row[name] !== "object" || row[name] === null);
  return [...names.filter(isPlain), ...names.filter((name) => !isPlain(name))];
}

function recordOf(row: Row, terminal: Terminal): string {
  const fields = fieldsOf(row);
  const plain = fields.flatMap(([name, value]) => (isTable(value) ? [] : [[name, cell(value)] as const]));
  const width = Math.max(0, ...plain.map(([name]) => name.length));
  const room = Math.max(readableWidth, terminal.width - width - gap);
  const lines = plain.map(([name, text]) =>
    `${terminal.heading(name.padEnd(width))}${" ".repeat(gap)}${cut(text, room)}`.trimEnd(),
  );
  const below = fields.flatMap(([name, value]) => (isTable(value) ? [`\n${sectionOf(name, value, terminal)}`] : []));
  return [...lines.map((text) => `${text}\n`), ...below].join("");
}

/** A list in an object: a table, or one object after the other if the objects contain lists. */
function sectionOf(name: string, rows: readonly Row[], terminal: Terminal): string {
  const isDeep = rows.some((row) => Object.values(row).some(isTable));
  if (!isDeep) return `${terminal.heading(name)}\n${listOf(rows, terminal)}`;
  return rows
    .map((row, at) => `${terminal.heading(`${name} ${at + 1} of ${rows.length}`)}\n${recordOf(row, terminal)}`)
    .join("\n");
}

/** The fields of an object. Fields of a nested object have its name in front. */
const fieldsOf = (row: Row, before = ""): [name: string, value: unknown][] =>
  Object.entries(row).flatMap(([name, value]): [string, unknown][] =>
    isRow(value) ? fieldsOf(value, `${before}${name}.`) : [[before + name, value]],
  );

/** Leaves out the last columns until the others are readable, then narrows the widest column. */
function fitted(natural: readonly number[], room: number): number[] {
  const sum = (widths: readonly number[]) => widths.reduce((all, width) => all + width + gap, -gap);
  let widths = natural.map((width) => Math.min(width, room));
  while (widths.length > 1 && sum(widths.map((width) => Math.min(width, readableWidth))) > room) {
    widths = widths.slice(0, -1);
  }
  for (let excess = sum(widths) - room; excess > 0; excess = sum(widths) - room) {
    const widest = widths.indexOf(Math.max(...widths));
    const [, second = 0] = widths.toSorted((one, other) => other - one);
    const width = widths[widest] ?? 0;
    widths[widest] = width - Math.min(excess, Math.max(1, width - second));
  }
  return widths;
}

function padded(text: string, width: number, isNumber: boolean): string {
  const shown = cut(text, width);
  const space = " ".repeat(Math.max(0, width - widthOf(shown)));
  return isNumber ? space + shown : shown + space;
}

const widthOf = (text: string) => truncatedWidth(text).width;

function cut(text: string, width: number): string {
  const { index, ellipsed } = truncatedWidth(text, { limit: width, ellipsis: "…", ellipsisWidth: 1 });
  return ellipsed ? `${text.slice(0, index)}…` : text;
}

const times = new Intl.DateTimeFormat("sv-SE", { dateStyle: "short", timeStyle: "short" }); // 2026-05-01 10:20

/** A value in one line. */
function cell(value: unknown): string {
  if (value === null || value === undefined) return "";
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (Array.isArray(value)) return value.some(isRow) ? String(value.length) : value.map(cell).join(", ");
  if (isRow(value))
    return Object.entries(value)
      .map(([name, one]) => `${name}=${cell(one)}`)
      .join(" ");
  const text = String(value);
  return /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/.test(text) ? times.format(new Date(text)) : harmless(text);
}

/** Strangers write titles and messages: no character may move the cursor, color the screen or reverse the line. */
const harmless = (text: string) =>
  text.replace(/\s+/g, " ").replace(/[\p{Cc}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu, "\ufffd");

const isTable = (value: unknown): value is readonly Row[] =>
  Array.isArray(value) && value.length > 0 && value.every(isRow);

const isRow = (value: unknown): value is Row => typeof value === "object" && value !== null && !Array.isArray(value);
