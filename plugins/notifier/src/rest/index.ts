import * as channels from "./channels.ts";
import * as deliveries from "./deliveries.ts";
import * as inbox from "./inbox.ts";
import * as mail from "./mail.ts";
import * as maintenance from "./maintenance.ts";
import * as people from "./people.ts";
import * as previews from "./previews.ts";
import * as rules from "./rules.ts";

const { listNotificationRules, createNotificationRule, updateNotificationRule, deleteNotificationRule } = rules;

/** The operations of notifications in the REST API. */
export const operations = [
  ...Object.values(channels),
  listNotificationRules,
  createNotificationRule,
  updateNotificationRule,
  deleteNotificationRule,
  ...[previews, maintenance, deliveries, people, inbox, mail].flatMap((one) => Object.values(one)),
];
