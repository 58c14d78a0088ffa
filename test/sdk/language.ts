import type { Command } from "./command.ts";
import type { Feature, Program } from "./feature.ts";
import type { UploadEnvironments } from "./upload-environments.ts";

/** An SDK at a version, the programs that use it, and what Faultline shows with it. */
export interface Language {
  /** As the command line and FAULTLINE_SDK_REQUIRED call it; its versions share it. */
  readonly name: string;
  /** As package registries call it. */
  readonly sdk: string;
  readonly version: string;
  /** The commands that prepare the programs in the empty directory `dir`, in turn. */
  readonly build: (dir: string) => readonly Command[];
  /** Runs a program; several commands run in turn, and what one uploads is read before the next. */
  readonly start: (dir: string, program: Program) => Command | readonly Command[];
  readonly features: readonly Feature[];
  /** Its peculiarities, for the reader of the matrix. */
  readonly remarks: readonly string[];
}

/** A tool of builds, which uploads to a Faultline. */
export interface BuildTool {
  readonly name: string;
  readonly sdk: string;
  readonly version: string;
  readonly remarks: readonly string[];
  /** Other packages to install, at exact versions. */
  readonly packages?: Readonly<Record<string, string>>;
  /** Makes what it needs in the directory `dir`, in which it is installed. */
  readonly prepare: (dir: string) => Promise<void>;
  /** Lets it work with each of the environments. Failures by claim, undefined where it holds. */
  readonly attempt: (dir: string, environments: UploadEnvironments) => Promise<ReadonlyMap<string, string | undefined>>;
}

/** An SDK that does not install here and is known by requests that were captured elsewhere. */
export interface CapturedLanguage {
  readonly name: string;
  readonly sdk: string;
  readonly version: string;
  readonly reason: string;
}
