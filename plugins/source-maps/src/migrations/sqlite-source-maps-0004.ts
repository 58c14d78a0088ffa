import { Migration } from "@mikro-orm/migrations";

/** Why the map of a minified file was refused. */
export class SourceMaps0004 extends Migration {
  override name = "source-maps-0004";

  override up(): void {
    this.addSql(`alter table source_artifact add column detail text not null default ''`);
  }
}
