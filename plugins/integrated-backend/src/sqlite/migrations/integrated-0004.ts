import { Migration } from "@mikro-orm/migrations";

/** Blocks: payloads of many events, compressed together. */
export class Integrated0004 extends Migration {
  override name = "integrated-0004";

  override up(): void {
    // Events of one project; their row ids lie between the first and the last, among those of others.
    this.addSql(`create table integrated_block (
      last_row_id integer primary key,
      first_row_id integer not null,
      content blob not null
    ) strict`);

    // Where the JSON of a packed event stands in its decompressed block; in place of a row of integrated_payload, to which
    // a column could not be added without reading it as a whole.
    this.addSql(`create table integrated_packed (
      event_row_id integer primary key,
      block_row_id integer not null,
      start integer not null,
      length integer not null
    ) strict`);

    // Releases before this one would not find what is packed; `schemaMajor` in backend/src/storage/database/open.ts.
    this.addSql(`pragma user_version = 2`);
  }
}
