import type { Database, Log } from "@faultline/plugin";
import type { MikroORM } from "@mikro-orm/sql";

/** The use of a pool of connections now. */
export interface PoolUse {
  /** Connections in use. */
  readonly used: number;
  /** Callers that wait for one. */
  readonly waiting: number;
}

/** The database of the core, parts of which plugins get. */
export type OpenDatabase = Database & {
  readonly orm: MikroORM;
  /** Tries a small write: readiness must not wait for the next event to notice that the disk works again. */
  canWrite(): Promise<boolean>;
  /** Does work that concerns the whole installation, unless another process is doing it. */
  alone(name: string, work: () => Promise<void>): Promise<void>;
  /** How many other processes have the database open now. */
  otherProcesses(): Promise<number>;
  /** Warns of settings by which it may lose stored data; absent on SQLite, where nobody else sets them. */
  warnOfLosses?(log: Log): Promise<void>;
  /** Whether the server has answered nothing for two seconds; absent on SQLite, which has no server. */
  isSilent?(): boolean;
  /** The use of its pool; absent on SQLite, which has none. */
  connections?(): PoolUse;
  close(): Promise<void>;
};
