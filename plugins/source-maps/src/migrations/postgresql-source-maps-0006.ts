import { Migration } from "@mikro-orm/migrations";

/** See source-maps-0006 of SQLite. */
export class PostgresqlSourceMaps0006 extends Migration {
  override name = "postgresql-source-maps-0006";

  override up(): void {
    this.addSql(`create table source_chunk_sum (
      user_id bigint primary key references "user" (id) on delete cascade,
      bytes bigint not null,
      chunk_count bigint not null
    )`);
    this.addSql(`insert into source_chunk_sum (user_id, bytes, chunk_count)
      select user_id, sum(size), count(*) from source_chunk group by user_id`);
  }
}
