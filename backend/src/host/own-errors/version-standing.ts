import type { ExternalVersionSource } from "@faultline/proto";

/** The known version of the system behind the DSN, and whether the platform's rule allows it. */
export interface VersionStanding {
  readonly source: ExternalVersionSource;
  /** The version that the system reported; empty if it reported none. */
  readonly asked: string;
  readonly isSupported: boolean;
  readonly notice: string;
}
