import { callsToReadErrors, contractVersion, type Host, type Plugin, type Movable } from "@faultline/plugin";
import { operationsOf } from "@faultline/plugin/rest";
import { ActivityService, ErrorService, OutcomeService, QuotaService } from "@faultline/proto";
import { channelService } from "./channels/channel-service.ts";
import { configColumn } from "./channels/channel.ts";
import { deleteOld } from "./delete-old.ts";
import { deliveryService } from "./deliveries/delivery-service.ts";
import { sendDigests } from "./deliveries/send-digests.ts";
import { Sender } from "./deliveries/sender.ts";
import { maintenanceService } from "./maintenance.ts";
import { httpTransport } from "./deliveries/transport.ts";
import { MailSending } from "./mail/mail-sending.ts";
import type { MailServer } from "./mail/smtp.ts";
import { mailService, userCalls } from "./mail/mail-service.ts";
import { memberCalls } from "./mail/recipients.ts";
import { migrations } from "./migrations.ts";
import { InboxChanges } from "./inbox/inbox-changes.ts";
import { inboxService } from "./inbox/inbox-service.ts";
import { preferenceService } from "./people/preference-service.ts";
import { ownKinds } from "./kinds.ts";
import * as channelOperations from "./rest/channels.ts";
import * as deliveryOperations from "./rest/deliveries.ts";
import * as inboxOperations from "./rest/inbox.ts";
import * as maintenanceOperations from "./rest/maintenance.ts";
import * as mailOperations from "./rest/mail.ts";
import * as peopleOperations from "./rest/people.ts";
import * as ruleOperations from "./rest/rules.ts";
import { ruleService, askForAll } from "./rules/rule-service.ts";
import { evaluateSignals } from "./evaluate.ts";
import { pollTriggers } from "./signals/polling/poll.ts";
import { takeNotices, takeTransitions } from "./signals/take-transitions.ts";
import type { Tables } from "./tables.ts";

/** The methods that the plugin calls as itself. */
const calls = [
  ...callsToReadErrors,
  ErrorService.method.listErrors,
  ErrorService.method.listEvents,
  ErrorService.method.getEvent,
  ErrorService.method.getErrorStats,
  ActivityService.method.listErrorActivity,
  OutcomeService.method.listOutcomes,
  QuotaService.method.getQuota,
  ...memberCalls,
  ...userCalls,
];

/** How often the plugin checks for due work. */
const lookEachMs = 500;

/**
 * Notifications: changes of errors become signals (within the transaction that delivers them), rules decide which
 * channels get them, and a sender delivers. `baseUrl` gives the address of the console, for links; without `mail` no
 * mail is sent.
 */
export function notifier({ baseUrl, mail }: { baseUrl: () => string; mail: MailServer | undefined }): Plugin {
  const sendsMail = mail !== undefined;
  const mails = new MailSending(mail, baseUrl);
  let sender: Sender | undefined;
  const inboxes = new InboxChanges();
  return {
    name: "notifier",
    contract: contractVersion,
    migrations,
    movable,
    sealedColumns: [configColumn],
    errorTransitions: () => takeTransitions(),
    notifies: ownKinds,
    takeNotices,
    calls,
    services: [
      channelService(baseUrl),
      ruleService,
      maintenanceService,
      deliveryService,
      mailService(mails.smtp, baseUrl),
      preferenceService(inboxes),
      inboxService(inboxes),
    ],
    rest: operationsOf(
      channelOperations,
      ruleOperations,
      maintenanceOperations,
      deliveryOperations,
      peopleOperations,
      inboxOperations,
      mailOperations,
    ),
    async start(host: Host) {
      const { scheduler } = host;
      const sending = new Sender(host, {
        of: "projects",
        atOnce: { all: 16, ofProject: 4, unproven: 12 },
        transportOf: (channel) => httpTransport(host, channel),
      });
      sender = sending;
      inboxes.open(host.database.announcements);
      await askForAll(host.database);
      const alone = { alone: true };
      const around = { baseUrl, sendsMail, onInboxes: (userIds: readonly number[]) => inboxes.changed(userIds) };
      scheduler.every(lookEachMs, "decide what is notified", (signal) => evaluateSignals(host, around, signal), alone);
      scheduler.every(lookEachMs, "look for what is notified", pollTriggers(host), alone);
      scheduler.every(lookEachMs, "show what quiet hours held back", showDueEntries(host, inboxes));
      scheduler.every(lookEachMs, "gather notifications", (signal) => sendDigests(host, baseUrl, signal), alone);
      scheduler.every(lookEachMs, "send notifications", () => sending.begin());
      await mails.start(host);
      scheduler.every(lookEachMs, "send mails", () => mails.begin());
      scheduler.every(3_600_000, "delete old notifications", (signal) => deleteOld(host, signal), alone);
      scheduler.every(3_600_000, "delete old inbox entries", (signal) => deleteOldEntries(host, signal), alone);
    },
    async stop() {
      await Promise.all([sender?.stop(), mails.stop()]);
    },
  };
}

/** Wakes watchers in this process if their inboxes have entries that quiet hours held back until now. */
function showDueEntries({ database, clock }: Host, changes: InboxChanges): () => Promise<void> {
  let shownUntil = clock.now();
  return async () => {
    const [since, now] = [shownUntil, clock.now()];
    shownUntil = now;
    const watching = changes.watching;
    if (watching.length === 0) return;
    const due = await database
      .read<Tables>()
      .selectFrom("notifier_inbox")
      .select("user_id")
      .distinct()
      .where("due_at", ">", since)
      .where("due_at", "<=", now)
      .where("user_id", "in", watching)
      .execute();
    changes.wakeHere(due.map((row) => row.user_id));
  };
}

const recordMs = 30 * 86_400_000;

/** The number of entries that are kept for a person. The oldest are deleted once an hour. */
const entriesOfPerson = 1_000;

/** Rows that a statement deletes, so that storing waits only some milliseconds. */
const rowsAtOnce = 1_000;

/** Deletes entries that are too old or too many, and old counts of changes that people did not get. */
async function deleteOldEntries({ database, deletionClock }: Host, signal: AbortSignal): Promise<void> {
  const write = database.write<Tables>();
  const before = deletionClock.now() - recordMs;
  const old = write.selectFrom("notifier_inbox").select("id").where("created_at", "<", before).limit(rowsAtOnce);
  let deleted = rowsAtOnce;
  while (deleted === rowsAtOnce && !signal.aborted) {
    const { numDeletedRows } = await write
      .deleteFrom("notifier_inbox")
      .where("id", "in", old)
      .executeTakeFirstOrThrow();
    deleted = Number(numDeletedRows);
  }
  const crowded = await database
    .readExpensively<Tables>()
    .selectFrom("notifier_inbox")
    .select("user_id")
    .groupBy("user_id")
    .having(({ fn }) => fn.countAll<number>(), ">", entriesOfPerson)
    .execute();
  for (const { user_id } of crowded) {
    if (signal.aborted) return;
    const own = write.selectFrom("notifier_inbox").select("id").where("user_id", "=", user_id);
    const newestOld = own.orderBy("id", "desc").limit(1).offset(entriesOfPerson);
    await write.deleteFrom("notifier_inbox").where("user_id", "=", user_id).where("id", "<=", newestOld).execute();
  }
  if (signal.aborted) return;
  await write.deleteFrom("notifier_person_suppression").where("hour_at", "<", before).execute();
}

const withId = [
  "notifier_signal",
  "notifier_channel",
  "notifier_rule",
  "notifier_delivery",
  "notifier_attempt",
  "notifier_held",
  "notifier_inbox",
];

const others: Readonly<Record<string, readonly string[]>> = {
  notifier_reported: ["channel_id", "error_id", "notification_trigger"],
  notifier_suppression: ["project_id", "rule_id", "error_id", "notification_trigger", "reason", "hour_at"],
  notifier_poll: ["project_id", "subject"],
  notifier_sample: ["project_id", "error_id", "sampled_at"],
  notifier_episode: ["rule_id", "error_id"],
  notifier_milestone: ["project_id", "error_id"],
  notifier_release: ["project_id", "version"],
  notifier_maintenance: ["project_id"],
  notifier_met: ["rule_id", "error_id"],
  notifier_person: ["user_id"],
  notifier_level: ["user_id", "project_id"],
  notifier_subscription: ["user_id", "project_id", "error_id"],
  notifier_person_budget: ["user_id", "project_id"],
  notifier_person_suppression: ["project_id", "error_id", "user_id", "notification_trigger", "reason", "hour_at"],
  notifier_unsubscribed: ["user_id", "project_id"],
};

/** How a move to PostgreSQL copies the plugin's tables. */
const movable: Movable = {
  tables: [
    ...withId.map((name) => ({ name, key: ["id"], refersToCore: true })),
    ...Object.entries(others).map(([name, key]) => ({ name, key, refersToCore: true })),
    { name: "notifier_server", key: ["server"] },
    { name: "notifier_mail_count", key: ["id"] },
    { name: "notifier_mail_server", key: ["id"] },
  ],
  otherTables: { sqlite: [], postgresql: [] },
};
