/** A part of a search that cannot be read, with its place: characters from `start` to `end`, counted from 0. */
export class SearchProblem extends Error {
  override readonly name = "SearchProblem";
  readonly start: number;
  readonly end: number;

  /** `message`: a sentence for the person who typed the search. */
  constructor(message: string, start: number, end: number) {
    super(message);
    this.start = start;
    this.end = end;
  }
}
