import { Migration } from "@mikro-orm/migrations";
import { storeBatch } from "./store-batch-0013.ts";

/**
 * The tables of SQLite's integrated-0016. Uncounted events are listed by batch, because several processes store events.
 */
export class Integrated0013 extends Migration {
  override name = "integrated-0013";

  override up(): void {
    this.addSql(`alter table integrated_user add column event_count bigint not null default 0,
      add column first_seen_at bigint, add column last_seen_at bigint`);
    const text = `text collate "C" not null`;
    this.addSql(`create table integrated_count (
      project_id bigint not null,
      error_id bigint not null,
      key ${text},
      value ${text},
      event_count bigint not null,
      first_seen_at bigint not null,
      last_seen_at bigint not null,
      primary key (project_id, error_id, key, value)
    )`);
    // The events of a batch that are not counted yet.
    this.addSql(`create table integrated_uncounted_batch (
      project_id bigint not null,
      n bigint generated always as identity,
      event_row_ids bigint[] not null,
      primary key (project_id, n)
    )`);
    // Events with numbers of the sequence, such as events that previous releases stored. Events after a row id are not
    // counted yet, and their users are uncounted only if the column says so.
    this.addSql(`create table integrated_uncounted (
      project_id bigint not null,
      first_n bigint not null,
      last_n bigint not null,
      after_id bigint not null,
      users boolean not null,
      primary key (project_id, first_n)
    )`);
    this.addSql(`insert into integrated_uncounted (project_id, first_n, last_n, after_id, users)
      with recursive project (id) as (
        select min(project_id) from integrated_error
        union all
        select (select min(project_id) from integrated_error where project_id > id) from project where id is not null
      )
      select id, 0, (select last_value from integrated_event_n), 0, true from project where id is not null`);
    this.addSql(storeBatch);
  }
}
