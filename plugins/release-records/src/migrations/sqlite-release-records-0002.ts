import { Migration } from "@mikro-orm/migrations";

/** The bytes of a record with its commits and deploys; 0: not counted yet. The index holds all that a sum needs. */
export class ReleaseRecords0002 extends Migration {
  override name = "release-records-0002";

  override up(): void {
    this.addSql(`alter table release_record add column bytes integer not null default 0`);
    this.addSql(`create index release_record_bytes on release_record (project_id, bytes)`);
  }
}
