import { Migration } from "@mikro-orm/migrations";

/** Retention finds rows by their time of receipt, because row ids do not show it after the clock was wrong. */
export class Integrated0003 extends Migration {
  override name = "integrated-0003";

  override up(): void {
    for (const table of ["integrated_event", "integrated_session", "integrated_feedback"]) {
      this.addSql(`create index ${table}_received_at on ${table} (received_at)`);
    }
  }
}
