/** A generated position, 0-based; the column in UTF-16 units. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

/** A map's facts about the text from a generated position to the next position on the line. */
export interface Segment extends Position {
  /** The index of the source plus one; 0: no source. */
  readonly source: number;
  readonly originalLine: number;
  readonly originalColumn: number;
  /** Where the name is in the texts; 0 without a name. */
  readonly name: number;
}

/** Segments as columns: 24 bytes each instead of the 97 of nested arrays. */
export class Segments {
  length = 0;
  columns: readonly [Uint32Array, Uint32Array, Uint32Array, Uint32Array, Uint32Array, Uint32Array] = columnsOf(0);

  /** Makes room for more. */
  reserve(more: number): void {
    const capacity = this.columns[0].length;
    if (this.length + more <= capacity) return;
    const before = this.columns;
    // The first is exact; index maps of many sections double.
    this.columns = columnsOf(Math.max(this.length + more, this.length * 2));
    for (const [index, column] of this.columns.entries()) column.set(before[index]?.subarray(0, this.length) ?? []);
  }

  /** Appends one; there must be room. */
  push(line: number, column: number, source: number, originalLine: number, originalColumn: number, name: number): void {
    const [lines, columns, sources, originalLines, originalColumns, names] = this.columns;
    const index = this.length++;
    lines[index] = line;
    columns[index] = column;
    sources[index] = source;
    originalLines[index] = originalLine;
    originalColumns[index] = originalColumn;
    names[index] = name;
  }

  /** Puts them in the order of their positions, each position once. The lines must be in order already. */
  arrange(): void {
    this.#sortLines();
    this.#separateEqual();
  }

  /** The segment that begins at exactly this position. */
  at(line: number, column: number): Segment | undefined {
    const index = this.#firstFrom(line, column);
    const segment = this.get(index);
    return segment?.line === line && segment.column === column ? segment : undefined;
  }

  /** The last segment before this position, on the same line. */
  before(line: number, column: number): Segment | undefined {
    const segment = this.get(this.#firstFrom(line, column) - 1);
    return segment?.line === line ? segment : undefined;
  }

  get(index: number): Segment | undefined {
    const [lines, columns, sources, originalLines, originalColumns, names] = this.columns;
    if (index < 0 || index >= this.length) return undefined;
    return {
      line: lines[index] ?? 0,
      column: columns[index] ?? 0,
      source: sources[index] ?? 0,
      originalLine: originalLines[index] ?? 0,
      originalColumn: originalColumns[index] ?? 0,
      name: names[index] ?? 0,
    };
  }

  /** The index of the first segment at or behind a position. */
  #firstFrom(line: number, column: number): number {
    const [lines, columns] = this.columns;
    let low = 0;
    let high = this.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (comparePositions(lines[middle] ?? 0, columns[middle] ?? 0, line, column) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** Bundlers write lines in order; ECMA-426 lets the columns of a line go back. */
  #sortLines(): void {
    const [lines, columns] = this.columns;
    for (let start = 0, end = 0; start < this.length; start = end) {
      let isSorted = true;
      for (end = start + 1; end < this.length && lines[end] === lines[start]; end++) {
        if ((columns[end] ?? 0) < (columns[end - 1] ?? 0)) isSorted = false;
      }
      if (!isSorted) this.#sort(start, end);
    }
  }

  #sort(start: number, end: number): void {
    const [, columns] = this.columns;
    const order = Uint32Array.from({ length: end - start }, (_, index) => start + index);
    order.sort((one, other) => (columns[one] ?? 0) - (columns[other] ?? 0) || one - other);
    for (const column of this.columns) {
      const before = column.slice(start, end);
      for (const [index, from] of order.entries()) column[start + index] = before[from - start] ?? 0;
    }
  }

  /**
   * If several are at the same position, the first answers for the position and the last for the text behind it, as in
   * trace-mapping and symbolicator. So the last moves on by one column where nothing else begins, and the others go.
   */
  #separateEqual(): void {
    const [lines, columns] = this.columns;
    let kept = 0;
    for (let start = 0, end = 0; start < this.length; start = end) {
      end = start + 1;
      while (end < this.length && lines[end] === lines[start] && columns[end] === columns[start]) end += 1;
      this.#move(start, kept++);
      const next = (columns[start] ?? 0) + 1;
      const isFree = end === this.length || lines[end] !== lines[start] || (columns[end] ?? 0) > next;
      if (end - start === 1 || !isFree) continue;
      this.#move(end - 1, kept);
      columns[kept++] = next;
    }
    this.length = kept;
  }

  #move(from: number, to: number): void {
    if (from === to) return;
    for (const column of this.columns) column[to] = column[from] ?? 0;
  }
}

/** Negative: the first position is before the second. */
export function comparePositions(line: number, column: number, otherLine: number, otherColumn: number): number {
  return line - otherLine || column - otherColumn;
}

function columnsOf(length: number): Segments["columns"] {
  const column = () => new Uint32Array(length);
  return [column(), column(), column(), column(), column(), column()];
}
