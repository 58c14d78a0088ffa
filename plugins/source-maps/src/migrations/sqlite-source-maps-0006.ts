import { Migration } from "@mikro-orm/migrations";

/** What the chunks of each user take, so that no upload of a chunk adds them up. */
export class SourceMaps0006 extends Migration {
  override name = "source-maps-0006";

  override up(): void {
    this.addSql(`create table source_chunk_sum (
      user_id integer primary key references user (id) on delete cascade,
      bytes integer not null,
      chunk_count integer not null
    ) strict`);
    this.addSql(`insert into source_chunk_sum (user_id, bytes, chunk_count)
      select user_id, sum(size), count(*) from source_chunk group by user_id`);
  }
}
