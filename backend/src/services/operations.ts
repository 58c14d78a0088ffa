import { operationsOf } from "@faultline/plugin/rest";
import * as accessTokens from "./accounts/access-token-operations.ts";
import * as audit from "./audit/audit-operations.ts";
import * as clientKeys from "./client-keys/client-key-operations.ts";
import * as deletions from "./deletions/deletion-operations.ts";
import * as breakdown from "./errors/breakdown-operations.ts";
import * as errors from "./errors/error-operations.ts";
import * as events from "./errors/event-operations.ts";
import * as grouping from "./errors/grouping-operations.ts";
import * as filters from "./filters/filter-operations.ts";
import * as instance from "./instance/instance-operations.ts";
import * as members from "./members/member-operations.ts";
import * as memberRoles from "./members/member-role-operations.ts";
import * as outcomes from "./outcomes/outcome-operations.ts";
import * as projects from "./projects/project-operations.ts";
import * as quotas from "./quotas/quota-operations.ts";
import * as releases from "./releases/release-operations.ts";
import * as settings from "./settings/settings-operations.ts";
import * as users from "./users/user-operations.ts";

/**
 * The core's operations of the REST API (specification 4.1 and 9.1): all exports of these files, with the headings of
 * the document in this order. Plugins add theirs.
 */
export const operations = operationsOf(
  clientKeys,
  settings,
  filters,
  errors,
  breakdown,
  grouping,
  events,
  deletions,
  outcomes,
  releases,
  quotas,
  projects,
  members,
  memberRoles,
  users,
  accessTokens,
  instance,
  audit,
);
