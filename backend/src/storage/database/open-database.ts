import type { Database, Log } from "@faultline/plugin";
import type { MikroORM } from "@mikro-orm/sql";

/** The current use of a pool of connections. */
export interface PoolUse {
  /** Connections in use. */
  readonly used: number;
  /** Callers that wait for a connection. */
  readonly waiting: number;
}

/** The database of the core. Plugins get parts of it. */
export type OpenDatabase = Database & {
  readonly orm: MikroORM;
  /** Tries a small write: readiness must not wait for the next event to notice that the disk works again. */
  canWrite(): Promise<boolean>;
  /** Does work that concerns the whole installation, unless another process is doing it. */
  alone(name: string, work: () => Promise<void>): Promise<void>;
  /** How many other processes have the database open now. */
  otherProcesses(): Promise<number>;
  /** Warns of settings that may lose stored data; undefined on SQLite, because nobody else sets them there. */
  warnOfLosses?(log: Log): Promise<void>;
  /** Whether the server has answered nothing for two seconds; undefined on SQLite, which has no server. */
  isSilent?(): boolean;
  /** The use of its pool; undefined on SQLite, which has no pool. */
  connections?(): PoolUse;
  close(): Promise<void>;
};
