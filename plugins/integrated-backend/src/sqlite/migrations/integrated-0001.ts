import { Migration } from "@mikro-orm/migrations";

/**
 * Errors, events, their payloads and counters. Times are milliseconds since 1970, hours and days are counted from 1970.
 */
export class Integrated0001 extends Migration {
  override name = "integrated-0001";

  override up(): void {
    this.addSql(`create table integrated_error (
      id integer primary key autoincrement,
      project_id integer not null,
      group_hash blob not null,
      grouping_version integer not null,
      title text not null,
      type text not null,
      value text not null,
      culprit text not null,
      level text not null,
      platform text not null,
      status integer not null,
      event_count integer not null,
      user_count integer not null,
      first_seen_at integer not null,
      last_seen_at integer not null,
      first_release text not null,
      last_release text not null,
      status_changed_at integer,
      reopened_at integer,
      unique (project_id, group_hash)
    ) strict`);
    // One index per sort, each starting with the status: a list of all statuses merges three short walks.
    for (const column of ["last_seen_at", "first_seen_at", "event_count"]) {
      this.addSql(`create index integrated_error_${column} on integrated_error (project_id, status, ${column}, id)`);
    }

    this.addSql(`create table integrated_event (
      id integer primary key,
      project_id integer not null,
      event_id blob not null,
      error_id integer not null,
      occurred_at integer not null,
      received_at integer not null,
      title text not null,
      user text not null,
      release text not null,
      environment text not null,
      level text not null,
      unique (project_id, event_id)
    ) strict`);
    this.addSql(`create index integrated_event_of_error on integrated_event (error_id, occurred_at, id)`);

    // Separate from the events, so that walks over events do not read past payloads. The event's JSON is `length` bytes
    // from `start` of the decompressed content.
    this.addSql(`create table integrated_payload (
      event_row_id integer primary key,
      encoding integer not null,
      start integer not null,
      length integer not null,
      content blob not null
    ) strict`);

    this.addSql(`create table integrated_hour (
      error_id integer not null,
      hour integer not null,
      event_count integer not null,
      primary key (error_id, hour)
    ) strict, without rowid`);

    this.addSql(`create table integrated_user (
      error_id integer not null,
      user text not null,
      last_seen_day integer not null,
      primary key (error_id, user)
    ) strict, without rowid`);
    this.addSql(`create trigger integrated_user_added after insert on integrated_user begin
      update integrated_error set user_count = user_count + 1 where id = new.error_id;
    end`);
    this.addSql(`create trigger integrated_user_removed after delete on integrated_user begin
      update integrated_error set user_count = user_count - 1 where id = old.error_id;
    end`);

    // Release and environment are stored as tags with these names.
    this.addSql(`create table integrated_tag (
      error_id integer not null,
      key text not null,
      value text not null,
      last_seen_day integer not null,
      primary key (error_id, key, value)
    ) strict, without rowid`);
  }
}
