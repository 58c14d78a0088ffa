// The limits of one error and of one project. docs/limits.md describes the behavior beyond them. Migrations write these
// numbers into the database, so that changing a number needs a migration.

/** Values of one tag of an error that are indexed. */
export const maxTagValues = 1_000;

/** Tag keys of an error that are indexed. */
export const maxTagKeys = 200;

/** Distinct users of an error that are counted. */
export const maxUsers = 100_000;

/** Errors of a project that have a count, per day (UTC), of the events that spike protection did not store. */
export const sampledOutErrors = 1_000;

/** The new errors that a project may create in a burst, in each later minute, and in a day (UTC). */
export const newErrors = { atOnce: 300, aMinute: 100, aDay: 10_000 };
