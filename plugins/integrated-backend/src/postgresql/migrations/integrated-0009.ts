import { Migration } from "@mikro-orm/migrations";

/** Searches look errors up by the names of their users. */
export class Integrated0009 extends Migration {
  override name = "integrated-0009";

  override up(): void {
    this.addSql(`create index integrated_user_name on integrated_user (project_id, "user")`);
  }
}
