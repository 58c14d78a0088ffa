import { ErrorStatus } from "@faultline/proto";
import { Migration } from "@mikro-orm/migrations";

/** Maximum other values of the same name in a note. */
const earlierAtMost = 50;

/**
 * Converts errors of grouping version 1 to version 2 (claims.ts). An error that splits off from an error of version 1
 * is marked, and noted as new only if that error is resolved.
 */
export class Integrated0021 extends Migration {
  override name = "integrated-0021";

  override up(): void {
    // The error that took the events of a group of version 1, and the group for which it did. `joined_error_id` is the
    // error of that group if another error took its events; its own hash remains unchanged.
    this.addSql(`create table integrated_claim (
      project_id integer not null,
      former_hash blob not null,
      group_hash blob not null,
      error_id integer not null,
      joined_error_id integer,
      claimed_at integer not null,
      primary key (project_id, former_hash)
    ) strict, without rowid`);
    this.addSql(`create index integrated_claim_of_error on integrated_claim (error_id)`);
    this.addSql(`create index integrated_claim_of_joined on integrated_claim (joined_error_id)
      where joined_error_id is not null`);

    // The error that counted the events of a group before the group got an error. `error_id` is null until then.
    this.addSql(`create table integrated_split (
      project_id integer not null,
      group_hash blob not null,
      error_id integer,
      from_error_id integer not null,
      split_at integer not null,
      primary key (project_id, group_hash)
    ) strict, without rowid`);
    this.addSql(`create index integrated_split_of_error on integrated_split (error_id)`);

    // Projects with groups of version 1, and the progress of examining their errors.
    this.addSql(`create table integrated_version_1 (
      project_id integer primary key,
      examined_id integer not null,
      examined_at integer not null
    ) strict`);
    this.addSql(`insert into integrated_version_1 (project_id, examined_id, examined_at)
      with recursive project (id) as (
        select min(project_id) from integrated_error
        union all
        select (select min(project_id) from integrated_error where project_id > id) from project where id is not null
      )
      select id, 0, 0 from project where id is not null
      union
      select project_id, 0, 0 from integrated_discard where ended_at is null`);
    // The previous release stores by version 1 again if an administrator returns to it.
    this.addSql(`create trigger integrated_error_of_version_1 after insert on integrated_error
    when new.grouping_version = 1
    begin
      insert into integrated_version_1 (project_id, examined_id, examined_at) values (new.project_id, 0, 0)
      on conflict do nothing;
    end`);
    this.addSql(`alter table integrated_discard add column grouping_version integer not null default 1`);

    // Version 1 would have reopened a resolved error and noted that, so an error that splits off from it is noted as
    // new.
    this.addSql(`drop trigger integrated_error_note_created`);
    this.addSql(`create trigger integrated_error_note_created after insert on integrated_error begin
      insert into error_change (plugin, project_id, error_id, kind, status_before, status, at, release)
      select plugin, new.project_id, new.id, 'created', 0, new.status, new.first_seen_at, new.first_release
      from error_change_reader where not exists (
        select 1 from integrated_split split join integrated_error before on before.id = split.from_error_id
        where split.project_id = new.project_id and split.group_hash = new.group_hash and split.error_id is null
          and before.status <> ${ErrorStatus.RESOLVED});
      update integrated_split set error_id = new.id
      where project_id = new.project_id and group_hash = new.group_hash and error_id is null;
    end`);

    // A value that an error had before the split is not new to the error that split off.
    this.addSql(`drop trigger integrated_tag_note_value`);
    this.addSql(`create trigger integrated_tag_note_value after insert on integrated_tag
    when exists (select 1 from error_change_value where kind = 'tag' and name = new.key)
    begin
      insert into error_change (plugin, project_id, error_id, kind, status_before, status, at, value)
      select reader.plugin, e.project_id, e.id, 'value', e.status, e.status, e.last_seen_at,
        json_object('kind', 'tag', 'name', new.key, 'value', new.value, 'earlier', json((
          select json_group_array(value) from (
            select value from integrated_tag where error_id = new.error_id and key = new.key and value <> new.value
            limit ${earlierAtMost}))))
      from error_change_reader reader join integrated_error e on e.id = new.error_id
      where e.status > 0 and exists (
        select 1 from error_change_value asked where asked.plugin = reader.plugin
          and asked.kind = 'tag' and asked.name = new.key and asked.project_id = e.project_id and (asked.text = new.value
          or (asked.is_exact = 0 and substr(new.value, 1, length(asked.text)) = asked.text)))
      and not exists (
        select 1 from integrated_split s join integrated_tag t
          on t.error_id = s.from_error_id and t.key = new.key and t.value = new.value
        where s.error_id = new.error_id);
    end`);

    this.addSql(`create trigger integrated_error_claims_gone after delete on integrated_error begin
      delete from integrated_claim where error_id = old.id;
      delete from integrated_claim where joined_error_id = old.id;
      delete from integrated_split where error_id = old.id;
    end`);
  }
}
