import { Migration } from "@mikro-orm/migrations";

/**
 * Changes of errors, noted once for each plugin that subscribes to them. `status_before` is 0 if there was no status,
 * or if it is unknown. Earlier releases leave the notes untouched.
 */
export class Core0010 extends Migration {
  override name = "core-0010";

  override up(): void {
    this.addSql(
      `create table error_change_reader (plugin text primary key, seen_at integer not null) strict, without rowid`,
    );
    this.addSql(`create table error_change (
      id integer primary key,
      plugin text not null,
      project_id integer not null,
      error_id text not null,
      kind text not null,
      status_before integer not null,
      status integer not null
    ) strict`);
    this.addSql(`create index error_change_plugin on error_change (plugin, id)`);
  }
}
