import type { ExternalVersionSource } from "@faultline/proto";

/** What is known of the version of the system behind the DSN, and what the platform's rule says of it. */
export interface VersionStanding {
  readonly source: ExternalVersionSource;
  /** What the system reported; empty: nothing. */
  readonly asked: string;
  readonly isSupported: boolean;
  readonly notice: string;
}
