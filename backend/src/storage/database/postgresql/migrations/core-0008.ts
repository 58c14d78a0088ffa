import { Migration } from "@mikro-orm/migrations";

/** The confirmed e-mail address of the user. See core-0012 of SQLite. */
export class PostgresqlCore0008 extends Migration {
  override name = "postgresql-core-0008";

  override up(): void {
    this.addSql(`alter table "user" add column confirmed_email text collate "C" not null default ''`);
    this.addSql(`update "user" set confirmed_email = email where is_admin`);
  }
}
