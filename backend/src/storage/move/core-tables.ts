import type { MovedTable } from "@faultline/plugin";

/**
 * The tables of the core, each after those it refers to. They are small, and are read as of one moment, so that no row
 * arrives without the one it belongs to.
 */
export const coreTables: readonly MovedTable[] = [
  { name: "user", key: ["id"] },
  { name: "session", key: ["id"] },
  { name: "access_token", key: ["id"] },
  { name: "password_reset", key: ["user_id"] },
  { name: "project", key: ["id"] },
  { name: "settings", key: ["id"] },
  { name: "inbound_filter", key: ["project_id"] },
  { name: "event_hour", key: ["project_id", "hour"] },
  { name: "client_key", key: ["id"] },
  { name: "member_role", key: ["id"] },
  { name: "member", key: ["project_id", "user_id"] },
  { name: "invitation", key: ["id"] },
  { name: "outcome", key: ["project_id", "hour", "kind", "category", "reason"] },
  { name: "client_key_traffic", key: ["key_id", "hour", "reason"] },
  { name: "client_key_network", key: ["key_id", "day", "network"] },
  { name: "quota", key: ["project_id"] },
  { name: "daily_intake", key: ["project_id", "day"] },
  { name: "eviction", key: ["project_id"] },
  { name: "own_error_reporting", key: ["id"] },
  { name: "settled_time", key: ["id"] },
  { name: "error_change", key: ["id"] },
];

/** Tables that are not copied: plugins subscribe again, and would take each copied error as a new one. */
export const otherCoreTables: readonly string[] = ["error_change_reader"];

/** Tables that refer to no other and may be large: an unstored event holds its payload, of up to a megabyte. */
export const largeCoreTables: readonly MovedTable[] = [
  { name: "audit_event", key: ["id"] },
  { name: "unstored_event", key: ["id"], rowsAtOnce: 8 },
];
