import { BundleError, type BundleErrorCode } from "../bundle/bundle-error.ts";
import type { Identifiers, IdentifiedFile } from "../bundle/debug-ids.ts";
import type { PackedEntry } from "../bundle/inflate-entry.ts";
import type { CompiledMapping, MappingToCompile } from "../proguard/mapping-index.ts";
import type { CompiledMap } from "./compile.ts";
import { MapError, type MapVerdict } from "./map-limits.ts";

/** A file of a bundle that is to be verified, and read for what it says of the other half of its pair. */
export interface PackedFile extends Pick<IdentifiedFile, "type" | "headers"> {
  readonly packed: PackedEntry;
}

/** The thread's answer about such a file, with the index of lines for a source of more than one slice. */
export interface Identified extends Identifiers {
  readonly lines?: Uint8Array<ArrayBuffer>;
}

/** Several files per message, because each message between threads takes the event loop 20 µs. */
export interface IdentifyJob {
  readonly files: readonly PackedFile[];
}

/** A source map and its script; `inline`: the map is in the script. */
export interface MapJob extends Pick<IdentifiedFile, "headers"> {
  readonly script: PackedEntry;
  readonly map: PackedEntry | "inline";
}

/** The work of a thread. Entries are unpacked there: files of 60 MiB would stop the event loop for 0.1 s each. */
export type ThreadJob = IdentifyJob | MapJob | MappingToCompile;

export type ThreadResult = readonly Identified[] | CompiledMap | CompiledMapping;

/** The thread's answer. */
export type ThreadAnswer = { readonly result: ThreadResult } | { readonly refusal: Refusal };

/** A MapError or a BundleError, which lose their class between threads. */
export type Refusal =
  | { readonly verdict: MapVerdict; readonly message: string }
  | { readonly code: BundleErrorCode; readonly message: string };

/** Undefined if the fault is ours. */
export function refusalOf(error: unknown): Refusal | undefined {
  if (error instanceof MapError) return { verdict: error.verdict, message: error.message };
  if (error instanceof BundleError) return { code: error.code, message: error.message };
  return undefined;
}

export function errorOf(refusal: Refusal): Error {
  return "code" in refusal
    ? new BundleError(refusal.code, refusal.message)
    : new MapError(refusal.verdict, refusal.message);
}

/** The bytes of a job, which are handed over with it. */
export function bytesOf(job: ThreadJob): readonly Uint8Array[] {
  if ("mapping" in job) return [job.mapping];
  if ("files" in job) return job.files.map(({ packed }) => packed.sent);
  return job.map === "inline" ? [job.script.sent] : [job.script.sent, job.map.sent];
}
