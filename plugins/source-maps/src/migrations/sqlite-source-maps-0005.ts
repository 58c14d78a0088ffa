import { Migration } from "@mikro-orm/migrations";

/** Where the lines of large sources lie. Those that are there get theirs when they are first read. */
export class SourceMaps0005 extends Migration {
  override name = "source-maps-0005";

  override up(): void {
    this.addSql(`create table source_blob_lines (
      blob_id integer primary key references source_blob (id) on delete cascade,
      places blob not null
    ) strict`);
  }
}
