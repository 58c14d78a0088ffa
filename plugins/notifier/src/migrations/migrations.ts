import { tableMigrations } from "@faultline/plugin";
import { notifierTables } from "./notifier-0001.ts";
import { peopleTables } from "./notifier-0002.ts";
import { mailTables } from "./notifier-0003.ts";
import { notifierTriggers } from "./notifier-0004.ts";
import { failingServers } from "./notifier-0006.ts";
import { metRules } from "./notifier-0007.ts";
import { turnsByProject } from "./notifier-0008.ts";
import { textsOfEntries } from "./notifier-0009.ts";

/** The fifth step made the tables of issue trackers, and is theirs now. */
export const migrations = tableMigrations([
  ["notifier-0001", notifierTables],
  ["notifier-0002", peopleTables],
  ["notifier-0003", mailTables],
  ["notifier-0004", notifierTriggers],
  ["notifier-0006", failingServers],
  ["notifier-0007", metRules],
  ["notifier-0008", turnsByProject],
  ["notifier-0009", textsOfEntries],
]);
