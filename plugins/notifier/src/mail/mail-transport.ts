import type { Kysely } from "kysely";
import type { Host } from "@faultline/plugin";
import { NotificationChannelState } from "@faultline/proto";
import type { Transport } from "../deliveries/transport.ts";
import type { ChannelRow, Tables } from "../tables.ts";
import { composeMail, listHeaders } from "./compose.ts";
import { errorLetter } from "./letters.ts";
import { unsubscribeUrl } from "./links.ts";
import { presentRecipient } from "./recipients.ts";
import type { Smtp } from "./smtp.ts";
import type { MailTried } from "./outcome.ts";
import { mailKind } from "./queue-mails.ts";

/**
 * Sends the mails of people. Each mail has one recipient. The address and the rights are read when it is sent. `smtp`
 * is undefined if mail is not set up.
 */
export function mailTransport(
  host: Host,
  channel: ChannelRow,
  { smtp, baseUrl }: { readonly smtp: Smtp | undefined; readonly baseUrl: () => string },
): Transport {
  const subscription = { userId: channel.user_id ?? 0, projectId: channel.project_id };
  return {
    isIdempotent: false,
    expiresAfterMs: 24 * 3_600_000,
    async send(message, { uid, at, signal }) {
      const recipient = await presentRecipient(host, subscription);
      if ("refusal" in recipient || !smtp) {
        const reason = "refusal" in recipient ? recipient.refusal : "E-mail is no longer set up.";
        return { outcome: { is: "drop", reason }, httpStatus: 0, answer: "" };
      }
      const url = unsubscribeUrl({ secrets: host.secrets, baseUrl }, subscription);
      const name = hostOf(baseUrl());
      const letter = errorLetter(message, { zone: recipient.zone, unsubscribeUrl: url });
      const headers = listHeaders(message, { projectId: channel.project_id, host: name, unsubscribeUrl: url });
      const tried = await smtp.send(
        composeMail(letter, { to: recipient.address, uid, host: name, at, headers }),
        signal,
      );
      await noteTried(host.database.write<Tables>(), tried, host.clock.now());
      return tried;
    },
  };
}

/** The name of the console's server, for ids of mails. */
export const hostOf = (baseUrl: string): string => URL.parse(baseUrl)?.hostname.replaceAll(/[[\]]/g, "") ?? "localhost";

const pauseMs = 15 * 60_000;

/** The latest state of the mail server, from any process of the installation. Undefined if no mail was sent yet. */
export const serverHealth = (tables: Kysely<Tables>) =>
  tables.selectFrom("notifier_mail_server").selectAll().where("id", "=", 1).executeTakeFirst();

/** Stores the outcome of a mail. Waiting mails are tried immediately after a failure of the server ends. */
export async function noteTried(tables: Kysely<Tables>, tried: MailTried, now: number): Promise<void> {
  const { serverFault, answer, outcome } = tried;
  const before = await serverHealth(tables);
  if (serverFault === undefined) {
    const isSent = outcome.is === "sent" && { last_sent_at: now };
    await store(tables, { failing_since: null, failure: "", paused_until: 0, ...isSent });
    if (before && before.failing_since !== null) await tryWaiting(tables, now);
    return;
  }
  await store(tables, {
    failing_since: before?.failing_since ?? now,
    failure: answer,
    paused_until: serverFault === "login" ? now + pauseMs : 0,
  });
}

/** Ends a pause. */
export async function resumeMail(tables: Kysely<Tables>, now: number): Promise<void> {
  await tables.updateTable("notifier_mail_server").set({ paused_until: 0 }).where("paused_until", ">", 0).execute();
  await tryWaiting(tables, now);
}

/** Makes all mails that wait after a failure due now. */
async function tryWaiting(tables: Kysely<Tables>, now: number): Promise<void> {
  await tables
    .updateTable("notifier_channel")
    .set({ next_try_at: now, failed_tries: 0 })
    .where("kind", "=", mailKind)
    .where("state", "=", NotificationChannelState.ACTIVE)
    .where("failed_tries", ">", 0)
    .execute();
}

async function store(
  tables: Kysely<Tables>,
  columns: { failing_since: number | null; failure: string; paused_until: number; last_sent_at?: number },
): Promise<void> {
  await tables
    .insertInto("notifier_mail_server")
    .values({ id: 1, last_sent_at: null, ...columns })
    .onConflict((conflict) => conflict.column("id").doUpdateSet(columns))
    .execute();
}
