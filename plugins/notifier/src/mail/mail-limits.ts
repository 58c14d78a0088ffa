import type { Kysely } from "kysely";
import type { Tables } from "../tables.ts";

const hourMs = 3_600_000;

/**
 * Mails about errors within an hour. Further mails wait for a digest. A project may use half of the mails that other
 * projects have left: a single project 30, the next 15, then 8, 4, 2 and 1. So a project can never use up all mails,
 * the next project is mailed immediately, and a small installation is not limited to a fixed share that nobody else
 * needs.
 */
export const mailsAnHour = { ofPerson: 20, ofInstallation: 60 };

/** The mails of the last hour, and newly spent mails, which `write` stores. */
export interface MailCounts {
  /**
   * Counts a mail of a project to a person. Returns false if the person or the installation has reached its hourly
   * limit, or the project its share.
   */
  spend(mail: { readonly userId: number; readonly projectId: number }): boolean;
  write(tables: Kysely<Tables>): Promise<void>;
}

export async function readMailCounts(tables: Kysely<Tables>, now: number): Promise<MailCounts> {
  // Never more rows than the installation's limit. A clock that was set back forgets mails from its future.
  await tables
    .deleteFrom("notifier_mail_count")
    .where(({ eb, or }) => or([eb("at", "<=", now - hourMs), eb("at", ">", now)]))
    .execute();
  const sent = await tables.selectFrom("notifier_mail_count").select(["user_id", "project_id"]).execute();
  const counts = mailCounts(sent);
  return {
    spend: counts.spend,
    async write(to) {
      const rows = counts.spent.map((row) => ({ ...row, at: now }));
      if (rows.length > 0) await to.insertInto("notifier_mail_count").values(rows).execute();
    },
  };
}

interface Mail {
  readonly user_id: number;
  readonly project_id: number;
}

/** Counts new mails in addition to the mails of the last hour. */
export function mailCounts(sent: readonly Mail[]) {
  const spent: Mail[] = [];
  return {
    spent: spent as readonly Mail[],
    spend({ userId, projectId }: { readonly userId: number; readonly projectId: number }): boolean {
      const all = [...sent, ...spent];
      const toPerson = all.filter((row) => row.user_id === userId).length;
      const ofProject = all.filter((row) => row.project_id === projectId).length;
      const leftByOthers = mailsAnHour.ofInstallation - (all.length - ofProject);
      if (toPerson >= mailsAnHour.ofPerson || 2 * ofProject >= leftByOthers) return false;
      spent.push({ user_id: userId, project_id: projectId });
      return true;
    },
  };
}
