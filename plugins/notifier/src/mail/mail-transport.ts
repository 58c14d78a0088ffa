import type { Host } from "@faultline/plugin";
import type { Transport } from "../deliveries/transport.ts";
import type { ChannelRow, Tables } from "../tables.ts";
import { composeMail, listHeaders } from "./compose.ts";
import { errorLetter } from "./letters.ts";
import { unsubscribeUrl } from "./links.ts";
import { presentRecipient } from "./recipients.ts";
import { noteTried } from "./server-health.ts";
import type { Smtp } from "./smtp.ts";

/** The mails of persons: one recipient each, whose address and rights are read when it is sent. `smtp` absent: mail is not set up. */
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
