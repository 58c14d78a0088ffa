import { retentionDays } from "./retention/retention.ts";

const allowed = { allowed: true };

/** The capabilities of projects whose errors are stored here. */
export const capabilities = {
  read: allowed,
  updateStatus: allowed,
  listEvents: allowed,
  affectedUsers: allowed,
  clientKeys: allowed,
  watch: allowed,
  releases: allowed,
  deleteErrors: allowed,
  updateMatching: allowed,
  feedback: allowed,
  explainGrouping: allowed,
  retentionDays,
};
