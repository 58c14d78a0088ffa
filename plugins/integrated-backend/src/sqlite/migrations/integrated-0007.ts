import { Migration } from "@mikro-orm/migrations";

/** Deletions of errors, and discards. */
export class Integrated0007 extends Migration {
  override name = "integrated-0007";

  override up(): void {
    // The states are the numbers of DeletionState. `undo_until` is by the clock for deletions. `discard_end` is the
    // JSON of a DiscardEnd, or empty if nothing is discarded.
    this.addSql(`create table integrated_deletion (
      id integer primary key autoincrement,
      project_id integer not null,
      state integer not null,
      query text not null,
      status integer not null,
      all_matching integer not null,
      last_error_id integer not null,
      title text not null,
      found_count integer not null,
      deleted_count integer not null,
      event_count integer not null,
      erased_event_count integer not null,
      restored_count integer not null,
      superseded_count integer not null,
      created_at integer not null,
      created_by text not null,
      undo_until integer,
      finished_at integer,
      discard_end text not null
    ) strict`);
    this.addSql(`create index integrated_deletion_of_project on integrated_deletion (project_id, id)`);
    this.addSql(`create index integrated_deletion_state on integrated_deletion (state)`);

    // The errors of a deletion until they are erased or restored, with the values that an undo restores.
    this.addSql(`create table integrated_deletion_error (
      project_id integer not null,
      deletion_id integer not null,
      error_id integer not null,
      previous_status integer not null,
      previous_hash blob not null,
      primary key (project_id, deletion_id, error_id)
    ) strict, without rowid`);

    this.addSql(`create table integrated_discard (
      id integer primary key autoincrement,
      project_id integer not null,
      deletion_id integer not null,
      group_hash blob not null,
      title text not null,
      culprit text not null,
      level text not null,
      created_at integer not null,
      created_by text not null,
      ends_at integer,
      ends_after integer,
      ends_with_release text not null,
      ended_at integer,
      stopped_count integer not null,
      last_stopped_at integer
    ) strict`);
    this.addSql(`create index integrated_discard_of_project on integrated_discard (project_id, id)`);
    this.addSql(`create unique index integrated_discard_running on integrated_discard (project_id, group_hash)
      where ended_at is null`);
    this.addSql(`create table integrated_discard_hour (
      project_id integer not null,
      discard_id integer not null,
      hour integer not null,
      event_count integer not null,
      primary key (project_id, discard_id, hour)
    ) strict, without rowid`);
    // One event of a day, in the form in which it arrived; see integrated_payload.
    this.addSql(`create table integrated_discard_sample (
      project_id integer not null,
      discard_id integer not null,
      day integer not null,
      event_id blob not null,
      received_at integer not null,
      encoding integer not null,
      start integer not null,
      length integer not null,
      content blob not null,
      primary key (project_id, discard_id, day)
    ) strict, without rowid`);
  }
}
