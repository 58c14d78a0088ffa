import { Migration } from "@mikro-orm/migrations";

/** What a bundle holds (1: source maps), and the ids by which events name a mapping, as a JSON list. */
export class SourceMaps0003 extends Migration {
  override name = "source-maps-0003";

  override up(): void {
    this.addSql(`alter table source_bundle add column kind integer not null default 1`);
    this.addSql(`alter table source_bundle add column debug_ids text not null default '[]'`);
  }
}
