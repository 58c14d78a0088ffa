import { Migration } from "@mikro-orm/migrations";

/**
 * The e-mail address that is known to be the user's; another one in `email` is not. Of the addresses stored until now those
 * of administrators count, who may set any.
 */
export class Core0012 extends Migration {
  override name = "core-0012";

  override up(): void {
    this.addSql(`alter table user add column confirmed_email text not null default ''`);
    this.addSql(`update user set confirmed_email = email where is_admin = 1`);
  }
}
