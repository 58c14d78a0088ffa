import type { Project, WorldKind } from "./world.ts";

/** One thing that every backend does alike. */
export interface Case {
  readonly name: string;
  /** Calls, and returns what a caller sees, without names of one world alone. */
  observe(project: Project): Promise<unknown>;
  readonly answer: unknown;
  /** The worlds that answer otherwise, and why that is right. */
  readonly differs?: Partial<Record<WorldKind, Difference>>;
}

export interface Difference {
  readonly because: string;
  readonly answer: unknown;
}
