import type { Kysely } from "kysely";
import type { Tables } from "../tables.ts";

const hourMs = 3_600_000;

/** Mails about errors within an hour. What exceeds them waits for a digest. */
export const mailsAnHour = { ofPerson: 20, ofInstallation: 60 };

/** The mails of the last hour, and those that are spent now, which `write` stores. */
export interface MailCounts {
  /** Counts a mail to a person, or returns false where the person or the installation has had its mails of the hour. */
  spend(userId: number): boolean;
  write(tables: Kysely<Tables>): Promise<void>;
}

export async function readMailCounts(tables: Kysely<Tables>, now: number): Promise<MailCounts> {
  // Never more rows than the installation's limit. A clock that went back forgets those from its future.
  await tables
    .deleteFrom("notifier_mail_count")
    .where(({ eb, or }) => or([eb("at", "<=", now - hourMs), eb("at", ">", now)]))
    .execute();
  const sent = await tables.selectFrom("notifier_mail_count").select("user_id").execute();
  const spent: { user_id: number }[] = [];
  return {
    spend(userId) {
      const all = [...sent, ...spent];
      const toPerson = all.filter((row) => row.user_id === userId).length;
      if (all.length >= mailsAnHour.ofInstallation || toPerson >= mailsAnHour.ofPerson) return false;
      spent.push({ user_id: userId });
      return true;
    },
    async write(to) {
      const rows = spent.map((row) => ({ ...row, at: now }));
      if (rows.length > 0) await to.insertInto("notifier_mail_count").values(rows).execute();
    },
  };
}
