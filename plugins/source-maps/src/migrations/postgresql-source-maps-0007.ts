import { Migration } from "@mikro-orm/migrations";

const bundleBytes = (row: string) => `1024 + octet_length(${row}.chunks) + 4 * octet_length(${row}.debug_ids)`;

/**
 * See source-maps-0007 of SQLite. Rows that come or go together are added up by statement: each change of a sum in a transaction leaves
 * a version of it that the next one walks over.
 */
export class PostgresqlSourceMaps0007 extends Migration {
  override name = "postgresql-source-maps-0007";

  override up(): void {
    this.addSql(`create table source_kept (project_id bigint primary key, bytes bigint not null)`);
    this.addSql(`alter table source_artifact add column row_bytes bigint not null default 0`);
    this.addSql(`insert into source_kept (project_id, bytes)
      select project_id, sum(stored_bytes + ${bundleBytes("source_bundle")}) from source_bundle group by project_id`);

    this.addSql(`create function source_keep(project bigint, more bigint) returns void language sql as $body$
      insert into source_kept (project_id, bytes) values (project, greatest(0, more))
      on conflict (project_id) do update set bytes = greatest(0, source_kept.bytes + more)
    $body$`);
    const trigger = (
      name: string,
      { when, body, result = "null" }: { when: string; body: string; result?: string },
    ) => {
      this.addSql(`create function ${name}() returns trigger language plpgsql as $body$
        begin ${body}; return ${result}; end $body$`);
      this.addSql(`create trigger ${name} ${when} execute function ${name}()`);
    };
    trigger("source_page_added", {
      when: "after insert on source_blob_page referencing new table as added for each statement",
      body: `perform source_keep(b.project_id, sum(octet_length(content))) from added
        join source_blob b on b.id = blob_id group by b.project_id`,
    });
    trigger("source_blob_removed", {
      when: "before delete on source_blob for each row",
      body: `perform source_keep(old.project_id, -coalesce(sum(octet_length(content)), 0)) from source_blob_page
        where blob_id = old.id`,
      result: "old",
    });
    trigger("source_artifact_added", {
      when: "after insert on source_artifact referencing new table as added for each statement",
      body: "perform source_keep(project_id, sum(row_bytes)::bigint) from added group by project_id",
    });
    trigger("source_artifact_removed", {
      when: "after delete on source_artifact referencing old table as removed for each statement",
      body: "perform source_keep(project_id, -sum(row_bytes)::bigint) from removed group by project_id",
    });
    trigger("source_bundle_added", {
      when: "after insert on source_bundle referencing new table as added for each statement",
      body: `perform source_keep(project_id, sum(${bundleBytes("added")})) from added group by project_id`,
    });
    trigger("source_bundle_changed", {
      when: "after update of chunks, debug_ids on source_bundle for each row",
      body: `perform source_keep(new.project_id, (${bundleBytes("new")}) - (${bundleBytes("old")}))`,
    });
    trigger("source_bundle_removed", {
      when: "after delete on source_bundle referencing old table as removed for each statement",
      body: `perform source_keep(project_id, -sum(${bundleBytes("removed")})) from removed group by project_id`,
    });
    // `faultline move` empties the tables and copies them again, as often as it is run.
    trigger("source_blob_emptied", { when: "after truncate on source_blob", body: "truncate source_kept" });
  }
}
