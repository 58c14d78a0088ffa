import { Migration } from "@mikro-orm/migrations";

/** Retention finds rows by when they were received: row ids do not show it once the clock was wrong. */
export class Integrated0003 extends Migration {
  override name = "integrated-0003";

  override up(): void {
    for (const table of ["integrated_event", "integrated_session", "integrated_feedback"]) {
      this.addSql(`create index ${table}_received_at on ${table} (received_at)`);
    }
  }
}
