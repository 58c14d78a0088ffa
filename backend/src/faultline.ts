import type { FirstCredentials } from "./services/accounts/first-administrator.ts";

/** A running Faultline. */
export interface Faultline {
  readonly httpUrl: string;
  /** Empty: its role serves no gRPC to others. */
  readonly grpcAddress: string;
  /** Only when this start created the first administrator. */
  readonly firstCredentials: FirstCredentials | undefined;
  /** Reports an uncaught failure, where the administrator wants that; resolves when the process may end. */
  lastReport(thrown: unknown): Promise<void>;
  /**
   * Answers the requests that arrived, stores what was accepted, and closes the database; takes less than seven seconds
   * unless something of ours hangs.
   */
  stop(): Promise<void>;
  /** The step that `stop` waits for. */
  stopsAt(): string;
}
