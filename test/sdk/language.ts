import type { Command } from "./command.ts";

/** An SDK, the program that uses it, and in what it differs from the others by design. */
export interface Language {
  readonly name: string;
  /** As package registries call it. */
  readonly sdk: string;
  readonly version: string;
  /** What makes the program ready in the temporary directory `temp`, in turn. */
  readonly build: (temp: string) => readonly Command[];
  /** Runs the program. */
  readonly start: (temp: string) => Command;
  readonly expect: Expected;
  /** Its peculiarities, for the reader of the matrix. */
  readonly remarks: readonly string[];
}

export interface Expected {
  /** Types of the handled chain, the cause first. */
  readonly types: readonly string[];
  /** The function that raised it. Undefined: this SDK sends no stack of a handled error. */
  readonly raisedIn?: string;
  readonly unhandled: {
    readonly type: string;
    readonly level: "error" | "fatal";
    /** False where the SDK has no hook of its own: it says nothing of how the error was caught. */
    readonly tellsHandled: boolean;
  };
  /** What the SDK leaves of 50 extra texts of 4,000 characters. */
  readonly large: { readonly texts: number; readonly length: number };
  readonly sendsSessions: boolean;
}

/** An SDK of the specification that has no program here. */
export interface Absent {
  readonly name: string;
  readonly sdk: string;
  readonly version: string;
  readonly reason: string;
}
