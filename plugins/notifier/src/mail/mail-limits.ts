import type { Kysely } from "kysely";
import type { Tables } from "../tables.ts";

const hourMs = 3_600_000;

/** Mails about errors within an hour. What exceeds them waits for a digest. */
export const mailsAnHour = { ofPerson: 20, ofInstallation: 60 };

/** Counts a mail to a person, or returns false where the person or the installation has had its mails of the hour. */
export async function spendMail(
  tables: Kysely<Tables>,
  { userId, now }: { readonly userId: number; readonly now: number },
): Promise<boolean> {
  // Never more rows than the installation's limit. A clock that went back forgets those from its future.
  await tables
    .deleteFrom("notifier_mail_count")
    .where(({ eb, or }) => or([eb("at", "<=", now - hourMs), eb("at", ">", now)]))
    .execute();
  const sent = await tables.selectFrom("notifier_mail_count").select("user_id").execute();
  const toPerson = sent.filter((row) => row.user_id === userId).length;
  if (sent.length >= mailsAnHour.ofInstallation || toPerson >= mailsAnHour.ofPerson) return false;
  await tables.insertInto("notifier_mail_count").values({ user_id: userId, at: now }).execute();
  return true;
}
