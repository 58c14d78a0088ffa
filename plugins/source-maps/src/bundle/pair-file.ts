import type { Identifiers } from "./debug-ids.ts";
import type { ManifestFile } from "./manifest.ts";

/** A file of a bundle without its content: what pairs are made from. */
export interface PairFile extends Pick<ManifestFile, "path" | "url" | "type">, Identifiers {}
