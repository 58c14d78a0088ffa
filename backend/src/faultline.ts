import type { FirstCredentials } from "./services/accounts/first-administrator.ts";

/** A running Faultline. */
export interface Faultline {
  readonly httpUrl: string;
  /** Empty: its role serves no gRPC to others. */
  readonly grpcAddress: string;
  /** Only when this start made the first administrator. */
  readonly firstCredentials: FirstCredentials | undefined;
  /** Reports what nobody caught, where the administrator wants that; resolves when the process may end. */
  lastReport(thrown: unknown): Promise<void>;
  /**
   * Answers what was sent, stores what was accepted, and closes the database; it takes less than seven seconds unless
   * something of ours hangs.
   */
  stop(): Promise<void>;
  /** What `stop` waits for. */
  stopsAt(): string;
}
