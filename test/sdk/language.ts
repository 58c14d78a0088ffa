import type { Command } from "./command.ts";
import type { Feature, Program } from "./feature.ts";

/** An SDK at a version, the programs that use it, and what Faultline shows with it. */
export interface Language {
  /** As the command line and FAULTLINE_SDK_REQUIRED call it; its versions share it. */
  readonly name: string;
  /** As package registries call it. */
  readonly sdk: string;
  readonly version: string;
  /** The commands that prepare the programs in the empty directory `dir`, in turn. */
  readonly build: (dir: string) => readonly Command[];
  /** Runs a program. */
  readonly start: (dir: string, program: Program) => Command;
  readonly features: readonly Feature[];
  /** Its peculiarities, for the reader of the matrix. */
  readonly remarks: readonly string[];
}

/** A tool of builds, whose commands are run against a Faultline. */
export interface BuildTool {
  readonly name: string;
  readonly sdk: string;
  readonly version: string;
  readonly remarks: readonly string[];
}

/** An SDK that does not install here and is known by requests that were captured elsewhere. */
export interface CapturedLanguage {
  readonly name: string;
  readonly sdk: string;
  readonly version: string;
  readonly reason: string;
}
