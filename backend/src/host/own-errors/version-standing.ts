import type { ExternalVersionSource } from "@faultline/proto";

/** The known version of the system behind the DSN, and the verdict of the platform's rule on it. */
export interface VersionStanding {
  readonly source: ExternalVersionSource;
  /** The version that the system reported; empty: none. */
  readonly asked: string;
  readonly isSupported: boolean;
  readonly notice: string;
}
