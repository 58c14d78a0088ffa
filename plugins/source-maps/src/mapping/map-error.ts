/** The verdicts of a map that cannot be compiled. */
export type MapVerdict = "map_malformed" | "map_too_large";

/** A refused map. The message is a sentence for the person who uploaded it: what is wrong, which limit, what to do. */
export class MapError extends Error {
  readonly verdict: MapVerdict;

  constructor(verdict: MapVerdict, message: string) {
    super(message);
    this.name = "MapError";
    this.verdict = verdict;
  }
}

/** A refusal of a map that does not follow ECMA-426: `what` is a clause such as "its version is 2, not 3". */
export const malformed = (what: string) =>
  new MapError("map_malformed", `The source map is damaged: ${what}. Build it again and upload it unchanged.`);

/** A refusal of a map that exceeds a limit. */
export const tooMany = (limit: number, what: string) =>
  new MapError(
    "map_too_large",
    `The source map has more than ${limit.toLocaleString("en")} ${what}. Split the bundle into smaller chunks.`,
  );
