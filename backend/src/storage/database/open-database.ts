import type { Database, Log } from "@faultline/plugin";
import type { MikroORM } from "@mikro-orm/sql";

/** How a pool of connections is used now. */
export interface PoolUse {
  /** Connections that are lent. */
  readonly used: number;
  /** Who waits for one. */
  readonly waiting: number;
}

/** The database of the core, and of the plugins in part. */
export type OpenDatabase = Database & {
  readonly orm: MikroORM;
  /** Tries a small write, as readiness must not wait for the next event to find out that the disk works again. */
  canWrite(): Promise<boolean>;
  /** Does work that is for the whole installation, unless another process is at it. */
  alone(name: string, work: () => Promise<void>): Promise<void>;
  /** How many other processes have it open now. */
  otherProcesses(): Promise<number>;
  /** Says what lets it lose what it stored; absent on SQLite, where nobody else sets that. */
  warnOfLosses?(log: Log): Promise<void>;
  /** Of its pool; absent on SQLite, which has none. */
  connections?(): PoolUse;
  close(): Promise<void>;
};
