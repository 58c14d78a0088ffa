import { callsToReadErrors, contractVersion, type Host, type Plugin } from "@faultline/plugin";
import { ActivityService, ErrorService, OutcomeService, QuotaService } from "@faultline/proto";
import { channelService } from "./channels/channel-service.ts";
import { configColumn } from "./channels/channel.ts";
import { deleteOld } from "./delete-old.ts";
import { deliveryService } from "./deliveries/delivery-service.ts";
import { sendDigests } from "./deliveries/send-digests.ts";
import { Sender } from "./deliveries/sender.ts";
import { maintenanceService } from "./maintenance/maintenance-service.ts";
import { httpTransport } from "./deliveries/transport.ts";
import { MailSending } from "./mail/mail-sending.ts";
import type { MailServer } from "./mail/mail-server.ts";
import { mailService, userCalls } from "./mail/mail-service.ts";
import { memberCalls } from "./mail/recipients.ts";
import { migrations } from "./migrations/migrations.ts";
import { movable } from "./movable.ts";
import { deleteOldEntries } from "./inbox/delete-old-entries.ts";
import { InboxChanges } from "./inbox/inbox-changes.ts";
import { inboxService } from "./inbox/inbox-service.ts";
import { showDueEntries } from "./inbox/show-due-entries.ts";
import { preferenceService } from "./people/preference-service.ts";
import { operations } from "./rest/index.ts";
import { askForAll } from "./rules/change-rule.ts";
import { ruleService } from "./rules/rule-service.ts";
import { evaluateSignals } from "./signals/evaluate.ts";
import { pollTriggers } from "./signals/polling/poll.ts";
import { takeTransitions } from "./signals/take-transitions.ts";

/** The methods that the plugin calls by itself. */
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

/** How soon what is due begins. */
const lookEachMs = 500;

/**
 * Notifications: changes of errors become signals (within the transaction that delivers them), rules decide what is sent where,
 * and a sender delivers. `baseUrl` gives the address of the console, for links; without `mail` no mail is sent.
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
    rest: operations,
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
