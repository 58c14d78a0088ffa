import { Migration } from "@mikro-orm/migrations";

/** Searches look errors up by the names of their users. */
export class Integrated0012 extends Migration {
  override name = "integrated-0012";

  override up(): void {
    this.addSql(`create index integrated_user_name on integrated_user (user)`);
  }
}
