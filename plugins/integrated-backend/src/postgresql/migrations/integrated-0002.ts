import { Migration } from "@mikro-orm/migrations";
import { makePartitions } from "./make-partitions-0002.ts";
import { storeBatch } from "./store-batch-0002.ts";

const text = `text collate "C" not null`;

/** The tables of SQLite's integrated-0005. The code that stores and deletes does the work of its triggers. */
export class Integrated0002 extends Migration {
  override name = "integrated-0002";

  override up(): void {
    this.addSql(`create table integrated_origin (
      project_id bigint not null,
      event_row_id bigint not null,
      key_id bigint not null,
      primary key (project_id, event_row_id)
    ) partition by range (event_row_id)`);

    this.addSql(`create table integrated_usage (
      project_id bigint not null,
      event_count bigint not null,
      payload_bytes bigint not null,
      tag_bytes bigint not null,
      primary key (project_id)
    )`);
    this.addSql(`insert into integrated_usage (project_id, event_count, payload_bytes, tag_bytes)
      with recursive project (id) as (
        select min(project_id) from integrated_error
        union all
        select (select min(project_id) from integrated_error where project_id > id) from project where id is not null
      )
      select id, 0, 0, 0 from project where id is not null`);

    this.addSql(`create table integrated_tag_key (
      project_id bigint not null,
      error_id bigint not null,
      key ${text},
      value_count bigint not null,
      primary key (project_id, error_id, key)
    )`);
    this.addSql(`create table integrated_cardinality (
      project_id bigint not null,
      error_id bigint not null,
      key_count bigint not null,
      other_tag_count bigint not null,
      other_user_count bigint not null,
      primary key (project_id, error_id)
    )`);
    this.addSql(`create table integrated_new_error (
      project_id bigint not null,
      day integer not null,
      error_count bigint not null,
      used_until bigint not null,
      primary key (project_id)
    )`);

    this.addSql(makePartitions);
    this.addSql(`drop function integrated_store_batch(
      integer, jsonb, jsonb, bytea, jsonb, jsonb, jsonb, jsonb, bigint)`);
    this.addSql(storeBatch);
  }
}
