import { Migration } from "@mikro-orm/migrations";

/** Since when events are grouped by what a bundle maps; null: not yet. */
export class SourceMaps0002 extends Migration {
  override name = "source-maps-0002";

  override up(): void {
    this.addSql(`alter table source_bundle add column groups_since integer`);
  }
}
