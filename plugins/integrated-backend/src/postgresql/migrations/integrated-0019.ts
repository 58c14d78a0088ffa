import { Migration } from "@mikro-orm/migrations";

/** The names of a user beside the user's counts. See integrated-0022 of SQLite. */
export class Integrated0019 extends Migration {
  override name = "integrated-0019";

  override up(): void {
    this.addSql(`alter table integrated_user add column names text collate "C" not null default ''`);
  }
}
