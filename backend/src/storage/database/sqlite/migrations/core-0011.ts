import { Migration } from "@mikro-orm/migrations";

/**
 * The time and the author of a change of an error, and the release that brought the error back. `at` is null until the
 * transaction of the change fills in the time and the user name before it commits. The previous release does not fill
 * them in.
 */
export class Core0011 extends Migration {
  override name = "core-0011";

  override up(): void {
    this.addSql(`alter table error_change add column at integer`);
    this.addSql(`alter table error_change add column actor text not null default ''`);
    this.addSql(`alter table error_change add column release text not null default ''`);
    this.addSql(`create index error_change_unsigned on error_change (project_id) where at is null`);
  }
}
