/** The value of a comment in a script: where it lies. */
export interface CommentValue {
  readonly start: number;
  readonly end: number;
}

/**
 * The value of the last line that is one of these comments (`//# sourceMappingURL=`), without white space around it. As
 * Symbolicator does, it takes comments that begin a line only: in a bundle, the text of a library may hold the same words.
 */
export function lastComment(script: Buffer, comments: readonly string[]): CommentValue | undefined {
  const found = comments.map((comment) => lastOf(script, comment)).filter((value) => value !== undefined);
  return found.reduce<CommentValue | undefined>(
    (last, value) => (last === undefined || value.start > last.start ? value : last),
    undefined,
  );
}

function lastOf(script: Buffer, comment: string): CommentValue | undefined {
  let at = script.lastIndexOf(comment);
  while (at >= 0 && !beginsLine(script, at)) at = at === 0 ? -1 : script.lastIndexOf(comment, at - 1);
  if (at < 0) return undefined;
  const start = skipBlanks(script, at + comment.length);
  const ends = [script.indexOf(LF, start), script.indexOf(CR, start)].filter((end) => end >= 0);
  let end = Math.min(script.length, ...ends);
  while (end > start && isBlank(script[end - 1])) end--;
  return { start, end };
}

/** Looks back over a few blanks only, so that a script of blanks and comments takes no square of its length. */
const maxIndent = 64;

function beginsLine(script: Buffer, at: number): boolean {
  let before = at - 1;
  while (before >= 0 && at - before <= maxIndent && isBlank(script[before])) before--;
  return before < 0 || script[before] === LF || script[before] === CR;
}

function skipBlanks(script: Buffer, start: number): number {
  let at = start;
  while (isBlank(script[at])) at++;
  return at;
}

const isBlank = (byte: number | undefined) => byte === 0x20 || byte === 0x09;

const LF = 0x0a;
const CR = 0x0d;
