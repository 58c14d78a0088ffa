import type { ExternalLink } from "@faultline/plugin";

/** The facts known when an answer is read. */
export interface ReadingContext {
  /** Our own project. */
  readonly projectId: number;
  /** Where the answer was read from. */
  readonly link: ExternalLink;
  /** Milliseconds since 1970. */
  readonly now: number;
}
