/** How much of what a map may hold. Tests lower them. */
export interface MapLimits {
  /** Places in the generated file that the map says something about. */
  readonly segments: number;
  readonly sources: number;
  readonly names: number;
  /** Maps within an index map, over all depths. */
  readonly sections: number;
  /** How deep index maps nest; bundlers nest them once. */
  readonly sectionDepth: number;
  /** UTF-16 units of the minified text; a longer text is not parsed, and only the names of functions are lost. */
  readonly minifiedLength: number;
  /** Functions of the minified text; more of them are as one too long. */
  readonly functions: number;
  /** Bytes of the texts of an index, names of functions included. */
  readonly textBytes: number;
  /** Milliseconds for the names of functions, of the 60 s that a map has. */
  readonly namesMs: number;
}

/** The largest real map known to us, the map of VS Code, has 2.1 million segments. */
export const mapLimits: MapLimits = {
  segments: 4_000_000,
  sources: 100_000,
  names: 1_000_000,
  sections: 10_000,
  sectionDepth: 8,
  minifiedLength: 20 * 2 ** 20,
  functions: 1_000_000,
  textBytes: 256 * 2 ** 20,
  namesMs: 30_000,
};

/** UTF-16 units of an identifier that names a function. Nobody writes longer ones, and they would be stored once for each function. */
export const longestIdentifier = 256;

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
