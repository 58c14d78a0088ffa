import { Migration } from "@mikro-orm/migrations";
import { maxTagKeys, maxTagValues, maxUsers } from "../../limits.ts";

/**
 * Limits the cost of one sender: the storage of a project, and the number of errors, users and tags that it may create.
 */
export class Integrated0005 extends Migration {
  override name = "integrated-0005";

  override up(): void {
    // The client key that an event came with, if any. Separate from the events, because SQLite reads a whole STRICT
    // table to add a column.
    this.addSql(`create table integrated_origin (
      event_row_id integer primary key,
      key_id integer not null
    ) strict`);

    // The storage of a project: its events, the bytes of payloads and blocks, and the bytes of tags with 64 for each
    // row.
    this.addSql(`create table integrated_usage (
      project_id integer primary key,
      event_count integer not null,
      payload_bytes integer not null,
      tag_bytes integer not null
    ) strict`);
    // Later additions and deletions are added up. Existing data is counted in the background (usage.ts).
    this.addSql(`insert into integrated_usage (project_id, event_count, payload_bytes, tag_bytes)
      with recursive project (id) as (
        select min(project_id) from integrated_error
        union all
        select (select min(project_id) from integrated_error where project_id > id) from project where id is not null
      )
      select id, 0, 0, 0 from project where id is not null`);

    // The batch (batch-procedure.ts) adds what it stores. Triggers subtract deleted rows, whichever statement deletes
    // them.
    this.addSql(`create trigger integrated_event_removed after delete on integrated_event begin
      update integrated_usage set event_count = event_count - 1 where project_id = old.project_id;
      delete from integrated_origin where event_row_id = old.id;
    end`);
    // Payloads and blocks are deleted before the events that name their project.
    this.addSql(`create trigger integrated_payload_removed after delete on integrated_payload begin
      update integrated_usage set payload_bytes = payload_bytes - length(old.content)
      where project_id = (select project_id from integrated_event where id = old.event_row_id);
    end`);
    this.addSql(`create trigger integrated_block_added after insert on integrated_block begin
      update integrated_usage set payload_bytes = payload_bytes + length(new.content)
      where project_id = (select project_id from integrated_event where id = new.last_row_id);
    end`);
    // The event that names the block may be deleted while others remain in it.
    const projectOfBlock = `(select project_id from integrated_packed join integrated_event on id = event_row_id
      where event_row_id between old.first_row_id and old.last_row_id and block_row_id = old.last_row_id limit 1)`;
    this.addSql(`create trigger integrated_block_changed after update of content on integrated_block begin
      update integrated_usage set payload_bytes = payload_bytes - length(old.content) + length(new.content)
      where project_id = ${projectOfBlock};
    end`);
    this.addSql(`create trigger integrated_block_removed after delete on integrated_block begin
      update integrated_usage set payload_bytes = payload_bytes - length(old.content)
      where project_id = ${projectOfBlock};
    end`);

    // The number of values of a key for an error. Rows of errors of the earlier version are created when a value is
    // added.
    this.addSql(`create table integrated_tag_key (
      error_id integer not null,
      key text not null,
      value_count integer not null,
      primary key (error_id, key)
    ) strict, without rowid`);
    // The number of the error's keys in the table above, and the number of keys left out beyond the limit.
    this.addSql(`create table integrated_cardinality (
      error_id integer primary key,
      key_count integer not null,
      other_tag_count integer not null,
      other_user_count integer not null
    ) strict`);
    this.addSql(`create trigger integrated_tag_full before insert on integrated_tag
    when coalesce(
        (select value_count >= ${maxTagValues} from integrated_tag_key where error_id = new.error_id and key = new.key),
        (select key_count >= ${maxTagKeys} from integrated_cardinality where error_id = new.error_id),
        false)
      and not exists (
        select 1 from integrated_tag where error_id = new.error_id and key = new.key and value = new.value)
    begin
      update integrated_cardinality set other_tag_count = other_tag_count + 1 where error_id = new.error_id;
      select raise(ignore);
    end`);
    this.addSql(`create trigger integrated_tag_added after insert on integrated_tag begin
      update integrated_usage set tag_bytes = tag_bytes + octet_length(new.key) + octet_length(new.value) + 64
      where project_id = (select project_id from integrated_error where id = new.error_id);
      insert into integrated_tag_key (error_id, key, value_count)
      select new.error_id, new.key, (
        select count(*) - 1 from (
          select 1 from integrated_tag where error_id = new.error_id and key = new.key limit ${maxTagValues} + 1))
      where not exists (select 1 from integrated_tag_key where error_id = new.error_id and key = new.key);
      update integrated_tag_key set value_count = value_count + 1 where error_id = new.error_id and key = new.key;
    end`);
    this.addSql(`create trigger integrated_tag_removed after delete on integrated_tag begin
      update integrated_usage set tag_bytes = tag_bytes - octet_length(old.key) - octet_length(old.value) - 64
      where project_id = (select project_id from integrated_error where id = old.error_id);
      update integrated_tag_key set value_count = value_count - 1 where error_id = old.error_id and key = old.key;
      delete from integrated_tag_key where error_id = old.error_id and key = old.key and value_count <= 0;
    end`);
    this.addSql(`create trigger integrated_tag_key_added after insert on integrated_tag_key begin
      insert into integrated_cardinality (error_id, key_count, other_tag_count, other_user_count)
      values (new.error_id, 1, 0, 0)
      on conflict (error_id) do update set key_count = key_count + 1;
    end`);
    this.addSql(`create trigger integrated_tag_key_removed after delete on integrated_tag_key begin
      update integrated_cardinality set key_count = key_count - 1 where error_id = old.error_id;
    end`);
    this.addSql(`create trigger integrated_user_full before insert on integrated_user
    when (select user_count from integrated_error where id = new.error_id) >= ${maxUsers}
      and not exists (select 1 from integrated_user where error_id = new.error_id and user = new.user)
    begin
      insert into integrated_cardinality (error_id, key_count, other_tag_count, other_user_count)
      values (new.error_id, 0, 0, 1)
      on conflict (error_id) do update set other_user_count = other_user_count + 1;
      select raise(ignore);
    end`);
    this.addSql(`create trigger integrated_error_removed after delete on integrated_error begin
      delete from integrated_tag_key where error_id = old.id;
      delete from integrated_cardinality where error_id = old.id;
    end`);

    // The number of new errors of a project on its newest day, and when the limit per minute is free again
    // (new-errors.ts).
    this.addSql(`create table integrated_new_error (
      project_id integer primary key,
      day integer not null,
      error_count integer not null,
      used_until integer not null
    ) strict`);
  }
}
