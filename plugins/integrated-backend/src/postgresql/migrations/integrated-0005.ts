import { Migration } from "@mikro-orm/migrations";
import { storeSessions } from "./store-sessions-0005.ts";

/**
 * Limits of values in sessions, like integrated-0008 of SQLite. Releases and environments are counted when a new one
 * arrives.
 */
export class Integrated0005 extends Migration {
  override name = "integrated-0005";

  override up(): void {
    this.addSql(`create table integrated_session_day (
      project_id bigint not null,
      day integer not null,
      release_id bigint not null,
      user_count bigint not null,
      primary key (project_id, day, release_id)
    )`);
    this.addSql(`create index integrated_session_day_expired on integrated_session_day (day)`);
    this.addSql(storeSessions);
  }
}
