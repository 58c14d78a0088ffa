import { ErrorStatus } from "@faultline/proto";
import { Migration } from "@mikro-orm/migrations";

/** Maximum other values of the same name in a note. */
const earlierAtMost = 50;

/** Converts errors of grouping version 1 to version 2. See integrated-0021 of SQLite. */
export class Integrated0018 extends Migration {
  override name = "integrated-0018";

  override up(): void {
    this.addSql(`create table integrated_claim (
      project_id bigint not null,
      former_hash bytea not null,
      group_hash bytea not null,
      error_id bigint not null,
      joined_error_id bigint,
      claimed_at bigint not null,
      primary key (project_id, former_hash)
    )`);
    this.addSql(`create index integrated_claim_of_error on integrated_claim (project_id, error_id)`);
    this.addSql(`create index integrated_claim_of_joined on integrated_claim (project_id, joined_error_id)
      where joined_error_id is not null`);
    this.addSql(`create table integrated_split (
      project_id bigint not null,
      group_hash bytea not null,
      error_id bigint,
      from_error_id bigint not null,
      split_at bigint not null,
      primary key (project_id, group_hash)
    )`);
    this.addSql(`create index integrated_split_of_error on integrated_split (project_id, error_id)`);
    this.addSql(`create table integrated_version_1 (
      project_id bigint not null,
      examined_id bigint not null,
      examined_at bigint not null,
      primary key (project_id)
    )`);
    this.addSql(`insert into integrated_version_1 (project_id, examined_id, examined_at)
      with recursive project (id) as (
        select min(project_id) from integrated_error
        union all
        select (select min(project_id) from integrated_error where project_id > id) from project where id is not null
      )
      select id, 0, 0 from project where id is not null
      union
      select project_id, 0, 0 from integrated_discard where ended_at is null`);
    this.addSql(`create function integrated_error_of_version_1() returns trigger language plpgsql as $body$
    begin
      insert into integrated_version_1 (project_id, examined_id, examined_at) values (new.project_id, 0, 0)
      on conflict do nothing;
      return null;
    end $body$`);
    this.addSql(`create trigger integrated_error_of_version_1 after insert on integrated_error
      for each row when (new.grouping_version = 1) execute function integrated_error_of_version_1()`);
    this.addSql(`alter table integrated_discard add column grouping_version integer not null default 1`);

    this.addSql(`create or replace function integrated_note_created() returns trigger language plpgsql as $body$
    declare
      status_before integer;
    begin
      update integrated_split split set error_id = new.id
      where split.project_id = new.project_id and split.group_hash = new.group_hash and split.error_id is null
      returning (select before.status from integrated_error before
        where before.project_id = split.project_id and before.id = split.from_error_id) into status_before;
      if status_before <> ${ErrorStatus.RESOLVED} then return null; end if;
      insert into error_change (plugin, project_id, error_id, kind, status_before, status, at, release)
      select plugin, new.project_id, new.id::text, 'created', 0, new.status, new.first_seen_at, new.first_release
      from error_change_reader;
      return null;
    end $body$`);

    // A value that an error had before the split is not new to the error that split off.
    this.addSql(`create or replace function integrated_note_tag() returns trigger language plpgsql as $body$
    begin
      if exists (
        select from error_change_value where project_id = new.project_id and kind = 'tag' and name = new.key
      ) and not exists (
        select from integrated_split s join integrated_tag t
          on t.project_id = s.project_id and t.error_id = s.from_error_id and t.key = new.key and t.value = new.value
        where s.project_id = new.project_id and s.error_id = new.error_id
      ) then
        insert into error_change (plugin, project_id, error_id, kind, status_before, status, at, value)
        select reader.plugin, e.project_id, e.id::text, 'value', e.status, e.status, e.last_seen_at,
          (jsonb_build_object('kind', 'tag', 'name', new.key, 'value', new.value, 'earlier', (
            select coalesce(jsonb_agg(t.value), '[]') from (
              select value from integrated_tag where project_id = new.project_id and error_id = new.error_id
                and key = new.key and value <> new.value
              limit ${earlierAtMost}) t)))::text
        from error_change_reader reader
        join integrated_error e on e.project_id = new.project_id and e.id = new.error_id
        where e.status > 0 and exists (
          select 1 from error_change_value asked where asked.plugin = reader.plugin
            and asked.project_id = new.project_id and asked.kind = 'tag' and asked.name = new.key
            and (asked.text = new.value or (asked.is_exact = 0 and starts_with(new.value, asked.text))));
      end if;
      return null;
    end $body$`);

    this.addSql(`create function integrated_claims_gone() returns trigger language plpgsql as $body$
    begin
      delete from integrated_claim where project_id = old.project_id and error_id = old.id;
      delete from integrated_claim where project_id = old.project_id and joined_error_id = old.id;
      delete from integrated_split where project_id = old.project_id and error_id = old.id;
      return null;
    end $body$`);
    this.addSql(`create trigger integrated_error_claims_gone after delete on integrated_error
      for each row execute function integrated_claims_gone()`);
  }
}
