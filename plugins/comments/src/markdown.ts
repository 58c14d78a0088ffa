import { CommentBlock_Kind as Kind } from "@faultline/proto";

/** See CommentBlock. */
export interface Block {
  readonly kind: Kind;
  readonly quoted: boolean;
  readonly number?: number;
  readonly spans: Span[];
}

/** See CommentSpan. */
interface Span {
  text: string;
  readonly bold?: boolean;
  readonly italic?: boolean;
  readonly code?: boolean;
  readonly url?: string;
}

/**
 * Maximum blocks and spans of a comment. The rest of a longer text is one plain paragraph, so that a page stays small.
 */
const mostParts = 1_000;

/** The words of a comment without the marks of Markdown, one line for each block. */
export const wordsOf = (text: string): string =>
  readMarkdown(text)
    .map(({ spans }) => spans.map((span) => span.text).join(""))
    .join("\n");

/**
 * Reads the subset of Markdown that comments support. Everything else, including HTML, is plain text. Takes time in
 * proportion to the length of the text, for any text.
 */
export function readMarkdown(text: string): readonly Block[] {
  const lines = text.split("\n").map(readLine);
  const blocks: Block[] = [];
  let parts = 0;
  for (let at = 0; at < lines.length;) {
    if (parts >= mostParts) {
      const rest = lines.slice(at).map(({ whole }) => whole);
      return [...blocks, { kind: Kind.PARAGRAPH, quoted: false, spans: [{ text: rest.join("\n") }] }];
    }
    const { block, next } = readBlock(lines, at, mostParts - parts);
    at = next;
    if (!block) continue;
    blocks.push(block);
    parts += 1 + block.spans.length;
  }
  return blocks;
}

interface Line {
  readonly whole: string;
  readonly quoted: boolean;
  /** The line without quote marks. */
  readonly text: string;
}

function readLine(whole: string): Line {
  const text = whole.replace(/^(?: {0,3}> ?)+/, "");
  return { whole, quoted: text !== whole, text };
}

const fence = /^ {0,3}```/;
const bullet = /^ {0,3}[-*+] +(?=\S)/;
const numbered = /^ {0,3}(\d{1,9})[.)] +(?=\S)/;

/** The block that begins at a line, and the next line after the block. Undefined for an empty line. */
function readBlock(
  lines: readonly Line[],
  at: number,
  room: number,
): { readonly block: Block | undefined; readonly next: number } {
  const { quoted, text } = lines[at] ?? { quoted: false, text: "" };
  /** The next line after the last line that continues the block. */
  const behind = (continues: (line: string) => boolean) => {
    let end = at + 1;
    for (let line = lines[end]; line?.quoted === quoted && continues(line.text); line = lines[end]) end += 1;
    return end;
  };
  const textsTo = (end: number) => lines.slice(at, end).map((line) => line.text);
  if (text.trim() === "") return { block: undefined, next: at + 1 };
  if (fence.test(text)) {
    const end = behind((line) => !fence.test(line));
    const isClosed = lines[end]?.quoted === quoted && fence.test(lines[end].text);
    const code = textsTo(end).slice(1).join("\n");
    return { block: { kind: Kind.CODE, quoted, spans: [{ text: code }] }, next: isClosed ? end + 1 : end };
  }
  const mark = bullet.exec(text) ?? numbered.exec(text);
  if (mark) {
    const end = behind((line) => /^ {2,}\S/.test(line) && !bullet.test(line) && !numbered.test(line));
    const words = [text.slice(mark[0].length), ...textsTo(end).slice(1)].map((line) => line.trim()).join("\n");
    const kind = mark[1] === undefined ? { kind: Kind.BULLET } : { kind: Kind.NUMBERED, number: Number(mark[1]) };
    return { block: { ...kind, quoted, spans: readSpans(words, room) }, next: end };
  }
  const end = behind((line) => line.trim() !== "" && ![fence, bullet, numbered].some((other) => other.test(line)));
  return { block: { kind: Kind.PARAGRAPH, quoted, spans: readSpans(textsTo(end).join("\n"), room) }, next: end };
}

/** A piece of a line: a span, or marks that may make the text bold or italic. */
type Piece = { readonly span: Span } | Marks;

interface Marks {
  readonly mark: "*" | "_";
  readonly opens: boolean;
  readonly closes: boolean;
  /** The marks without a meaning so far, which are shown unchanged. */
  left: number;
  /** The starts (1) and ends (-1) of bold and italic at this place. */
  bold: number;
  italic: number;
}

/** The spans of a text. A text with more than `room` spans is one span. */
function readSpans(text: string, room: number): Span[] {
  const pieces = readPieces(text);
  pairMarks(pieces.filter((piece) => "mark" in piece));
  let [bold, italic] = [0, 0];
  const spans: Span[] = [];
  const add = (span: Span) => {
    const last = spans.at(-1);
    const same =
      last &&
      !last.code &&
      !span.code &&
      !last.url &&
      !span.url &&
      last.bold === bold > 0 &&
      last.italic === italic > 0;
    if (same) last.text += span.text;
    else if (span.text !== "") spans.push({ ...span, bold: bold > 0, italic: italic > 0 });
  };
  for (const piece of pieces) {
    if ("span" in piece) {
      add(piece.span);
      continue;
    }
    add({ text: piece.mark.repeat(piece.left) });
    bold += piece.bold;
    italic += piece.italic;
  }
  return spans.length > room ? [{ text }] : spans;
}

const escaped = /\\([!-/:-@[-`{-~])/y;
const link = /\[([^[\]\n]{1,300})\]\((https?:\/\/[^\s()<>"]{1,2000})\)/y;
const address = /https?:\/\/[^\s<>"`]{1,2000}/y;
const marks = /\*+|_+/y;
const plain = /(?:[^\\`[*_h]|h(?!ttps?:\/\/))+/y;

function readPieces(text: string): Piece[] {
  const pieces: Piece[] = [];
  const closing = codeClosings(text);
  const match = (pattern: RegExp, at: number) => {
    pattern.lastIndex = at;
    return pattern.exec(text);
  };
  for (let at = 0; at < text.length;) {
    const [found] = match(plain, at) ?? [];
    if (found !== undefined) {
      pieces.push({ span: { text: found } });
      at += found.length;
      continue;
    }
    const { piece, length } = markedPiece(text, at, match, closing);
    pieces.push(piece);
    at += length;
  }
  return pieces;
}

function markedPiece(
  text: string,
  at: number,
  match: (pattern: RegExp, at: number) => RegExpExecArray | null,
  closing: (at: number, length: number) => number | undefined,
): { readonly piece: Piece; readonly length: number } {
  const literal = text[at] ?? "";
  const span = (found: Span, length: number) => ({ piece: { span: found }, length });
  if (literal === "`") {
    const [run = "`"] = match(/`+/y, at) ?? [];
    const end = closing(at, run.length);
    if (end === undefined) return span({ text: run }, run.length);
    const code = text.slice(at + run.length, end);
    return span({ text: code.replace(/^ (.*\S.*) $/s, "$1"), code: true }, end + run.length - at);
  }
  if (literal === "\\") {
    const [whole, character] = match(escaped, at) ?? [];
    return span({ text: character ?? literal }, whole?.length ?? 1);
  }
  if (literal === "[") {
    const [whole = "", label = "", url = ""] = match(link, at) ?? [];
    return whole === ""
      ? span({ text: literal }, 1)
      : span({ text: label.replaceAll(/\\(?=[!-/:-@[-`{-~])/g, ""), url }, whole.length);
  }
  if (literal === "h") {
    const [found = ""] = /\w/.test(text[at - 1] ?? "") ? [] : (match(address, at) ?? []);
    const url = found.replace(/[.,:;!?'*_)\]]{1,8}$/, "");
    return /^https?:\/\/[^/]/.test(url) ? span({ text: url, url }, url.length) : span({ text: literal }, 1);
  }
  const [run = literal] = match(marks, at) ?? [];
  const [before, after] = [text[at - 1] ?? " ", text[at + run.length] ?? " "];
  const within = literal === "_" && /\w/.test(before) && /\w/.test(after); // a name such as snake_case
  const piece: Marks = {
    mark: literal === "_" ? "_" : "*",
    opens: run.length <= 3 && !within && /\S/.test(after),
    closes: run.length <= 3 && !within && /\S/.test(before),
    left: run.length,
    bold: 0,
    italic: 0,
  };
  return { piece, length: run.length };
}

/** Finds the end of code that begins with a run of backticks. Reads each run once. */
function codeClosings(text: string): (at: number, length: number) => number | undefined {
  const runs = [...text.matchAll(/`+/g)].toReversed();
  const byLength = Map.groupBy(runs, ([run]) => run.length);
  return (at, length) => {
    const left = byLength.get(length) ?? [];
    for (let run = left.pop(); run; run = left.pop()) if (run.index > at) return run.index;
    return undefined;
  };
}

/** Pairs each closing mark with the nearest opening mark. Opens and closes each mark at most once. */
function pairMarks(all: readonly Marks[]): void {
  const open: Record<Marks["mark"], { readonly piece: Marks; readonly width: number }[]> = { "*": [], _: [] };
  for (const piece of all) {
    const opened = open[piece.mark];
    while (piece.closes && piece.left > 0) {
      const last = opened.at(-1);
      if (!last || last.width > piece.left) break;
      opened.pop();
      last.piece.left -= last.width;
      piece.left -= last.width;
      const style = last.width === 2 ? "bold" : "italic";
      last.piece[style] += 1;
      piece[style] -= 1;
    }
    if (!piece.opens) continue;
    if (piece.left >= 2) opened.push({ piece, width: 2 });
    if (piece.left % 2 === 1) opened.push({ piece, width: 1 });
  }
}
