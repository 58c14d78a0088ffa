import { Migration } from "@mikro-orm/migrations";

/** Blocks: payloads of many events, compressed together. */
export class Integrated0004 extends Migration {
  override name = "integrated-0004";

  override up(): void {
    // Events of one project. Their row ids are between the first and the last, mixed with events of other projects.
    this.addSql(`create table integrated_block (
      last_row_id integer primary key,
      first_row_id integer not null,
      content blob not null
    ) strict`);

    // The position of a packed event's JSON in its decompressed block. It replaces a row of integrated_payload, because
    // adding a column to that table would require reading all of it.
    this.addSql(`create table integrated_packed (
      event_row_id integer primary key,
      block_row_id integer not null,
      start integer not null,
      length integer not null
    ) strict`);

    // Earlier releases would not find packed payloads; see `schemaMajor` in backend/src/storage/database/open.ts.
    this.addSql(`pragma user_version = 2`);
  }
}
