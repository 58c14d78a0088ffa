/**
 * The columns of an error that an event sets from its field of the same name. A further one is a name in one of these lists
 * and a migration of each database (CONTRIBUTING.md, a field of an error).
 */

/** Set again by each event that is the newest, in the order of the entries that PostgreSQL's procedures read. */
export const newestColumns = ["title", "type", "value", "culprit", "level"] as const;

/** Set once, by the event that creates the error. */
export const firstColumns = ["platform"] as const;

export const eventColumns = [...newestColumns, ...firstColumns] as const;

export type EventColumn = (typeof eventColumns)[number];
