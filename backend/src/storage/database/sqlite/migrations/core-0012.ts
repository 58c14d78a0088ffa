import { Migration } from "@mikro-orm/migrations";

/**
 * The confirmed e-mail address of the user; any other address in `email` is not confirmed. Earlier addresses of
 * administrators count as confirmed, because administrators may set any address.
 */
export class Core0012 extends Migration {
  override name = "core-0012";

  override up(): void {
    this.addSql(`alter table user add column confirmed_email text not null default ''`);
    this.addSql(`update user set confirmed_email = email where is_admin = 1`);
  }
}
