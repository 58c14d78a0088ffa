import {
  noticeLimits,
  type NotificationAudience,
  type NotificationKind,
  type Notice,
  type Notify,
  type Plugin,
} from "@faultline/plugin";

/** The kinds of notifications that plugins announce. */
export const notificationKinds = (plugins: readonly Plugin[]): readonly NotificationKind[] =>
  plugins.flatMap(({ notifies = [] }) => notifies);

/**
 * `Host.notify` of each plugin: checks the announced notifications, and passes them to the plugin that delivers.
 * Without a delivering plugin nobody is notified.
 */
export function notifying(plugins: readonly Plugin[]): (plugin: Plugin) => Notify {
  const take = plugins.find(({ takeNotices }) => takeNotices)?.takeNotices;
  return ({ name, notifies = [] }) =>
    async (notices, transaction) => {
      const refuse = (what: string) => new Error(`The plugin ${name} announced ${what}.`);
      if (!transaction.isTransaction) throw refuse("notices outside a transaction");
      if (notices.length > noticeLimits.notices)
        throw refuse(`${notices.length} notices at once; the limit is ${noticeLimits.notices}`);
      const checked = notices.map((notice) => {
        const kind = notifies.find((one) => one.kind === notice.kind);
        if (!kind) {
          const known = notifies.map((one) => one.kind).join(", ") || "it has none";
          throw refuse(`the kind ${notice.kind}, which is not among its kinds: ${known}`);
        }
        const fault = boundFault(notice);
        if (fault !== undefined) throw refuse(fault);
        return { ...notice, kind };
      });
      if (checked.length > 0) await take?.(checked, transaction);
    };
}

function boundFault({ text, userIds = [] }: Notice): string | undefined {
  if (text.length > noticeLimits.textLength)
    return `a text of ${text.length} characters; the limit is ${noticeLimits.textLength}`;
  if (userIds.length > noticeLimits.userIds)
    return `a notice that names ${userIds.length} people; the limit is ${noticeLimits.userIds}`;
  return undefined;
}

const longestWords = 60;

const audiences: readonly NotificationAudience[] = ["members", "subscribers", "named", "channels"];

/** The faults of a kind, for the refusal to start. */
export function kindFaults({ kind, label, headline, counted, audience }: NotificationKind): string[] {
  const faults: string[] = [];
  if (!/^[a-z][a-z_]{1,39}$/.test(kind))
    faults.push(`the kind of notifications "${kind}" must have 2 to 40 lower-case letters and _`);
  if ([label, headline, ...counted].some((words) => words === "" || words.length > longestWords))
    faults.push(`each of the words of the kind ${kind} must have 1 to ${longestWords} characters`);
  if (!audiences.includes(audience))
    faults.push(`the kind ${kind} must have one of the audiences ${audiences.join(", ")}`);
  return faults;
}
