import { Migration } from "@mikro-orm/migrations";

/** Stores the names of a user with the user's counts. See integrated-0022 of SQLite. */
export class Integrated0019 extends Migration {
  override name = "integrated-0019";

  override up(): void {
    this.addSql(`alter table integrated_user add column names text collate "C" not null default ''`);
  }
}
