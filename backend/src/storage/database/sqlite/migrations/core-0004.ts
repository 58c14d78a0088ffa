import { Migration } from "@mikro-orm/migrations";

/** Events that could not be stored because of a fault in the event. */
export class Core0004 extends Migration {
  override name = "core-0004";

  override up(): void {
    this.addSql(`create table unstored_event (
      id integer primary key autoincrement,
      project_id integer not null,
      event_id text not null,
      title text not null,
      received_at integer not null,
      reason text not null,
      content blob not null,
      unique (project_id, event_id)
    ) strict`);
    this.addSql(`create index unstored_event_received_at on unstored_event (received_at)`);
  }
}
