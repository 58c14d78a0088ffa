import type { ExternalLink } from "@faultline/plugin";

/** What is known when an answer is read. */
export interface ReadingContext {
  /** Our own project. */
  readonly projectId: number;
  /** Where the answer comes from. */
  readonly link: ExternalLink;
  /** Milliseconds since 1970. */
  readonly now: number;
}
