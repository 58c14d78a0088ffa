import { Migration } from "@mikro-orm/migrations";

/**
 * Stores the names of a user with the user's counts, so that a breakdown reads no event for them. Empty for users with
 * a newest event that the previous release counted.
 */
export class Integrated0022 extends Migration {
  override name = "integrated-0022";

  override up(): void {
    // SQLite reads the table: 0.2 s for a million users. A separate table would add as many pages to write to each
    // batch.
    this.addSql(`alter table integrated_user add column names text not null default ''`);
  }
}
