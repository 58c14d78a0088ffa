import { Migration } from "@mikro-orm/migrations";

/** The time by which ages are counted, in one row. See AgeClock. */
export class Core0005 extends Migration {
  override name = "core-0005";

  override up(): void {
    this.addSql(`create table settled_time (
      id integer primary key check (id = 1),
      settled_at integer not null,
      told_at integer not null,
      differs_ms integer not null
    ) strict`);
  }
}
