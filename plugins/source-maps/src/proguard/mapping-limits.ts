import { MapError } from "../mapping/map-limits.ts";

/** How much a mapping of ProGuard or R8 may hold. Tests lower them. */
export interface MappingLimits {
  /** Bytes of its text. */
  readonly bytes: number;
  readonly classes: number;
  /** Lines of methods, each a range or a call that was inlined. */
  readonly ranges: number;
  /** Ranges of the methods of a class that share an obfuscated name: an event reads them all for a frame. Further ones are left out. */
  readonly rangesOfMethod: number;
  /** Bytes of the index. */
  readonly indexBytes: number;
}

const MiB = 1024 * 1024;

/** The refusal of a mapping that exceeds a limit: `what` is a clause such as "has more than 128 MiB". */
export const mappingTooLarge = (what: string) =>
  new MapError("map_too_large", `The mapping ${what}. Keep the names of more classes in the build with -keepnames.`);

/** Mappings of large Android applications have 50 to 100 MB with 60,000 classes and a million ranges. */
export const mappingLimits: MappingLimits = {
  bytes: 128 * MiB,
  classes: 500_000,
  ranges: 4_000_000,
  rangesOfMethod: 10_000,
  indexBytes: 256 * MiB,
};

/** Bytes of a line; longer ones are passed over. Comments of R8 about outlines are the longest, with some kilobytes. */
export const maxLineBytes = 64 * 1024;

/** Characters of a name; a line with a longer name is passed over. The JVM allows 65,535 bytes, stack traces are cut before. */
export const maxNameLength = 1_000;
