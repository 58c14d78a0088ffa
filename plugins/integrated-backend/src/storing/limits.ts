// What one error, and one project, may bring. docs/limits.md says what happens beyond; migrations write these numbers into
// the database, so that another number needs a migration.

/** Values of one tag of an error that are indexed. */
export const maxTagValues = 1_000;

/** Tag keys of an error that are indexed. */
export const maxTagKeys = 200;

/** Distinct users of an error that are counted. */
export const maxUsers = 100_000;

/** New errors of a project that may come at once, how many more in each minute after, and how many in a day (UTC). */
export const newErrors = { atOnce: 300, aMinute: 100, aDay: 10_000 };
