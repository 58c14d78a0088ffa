import { Migration } from "@mikro-orm/migrations";

/** Of a bundle's row beside its chunks; its ids stand in the list and in rows of their own. */
const bundleBytes = (row: string) => `1024 + octet_length(${row}.chunks) + 4 * octet_length(${row}.debug_ids)`;

/**
 * The bytes that the plugin keeps of each project, as triggers add them up: pages of contents once, whatever bundles share them, and
 * rows. Rows go by cascades, which no code sees.
 */
export class SourceMaps0007 extends Migration {
  override name = "source-maps-0007";

  override up(): void {
    this.addSql(`create table source_kept (project_id integer primary key, bytes integer not null) strict`);
    // Of rows from before: they count nothing when they come, and nothing when they go.
    this.addSql(`alter table source_artifact add column row_bytes integer not null default 0`);
    // Contents of deleted bundles that others still need are missing, so that a sum may come out too low; it does not become negative.
    this.addSql(`insert into source_kept (project_id, bytes)
      select project_id, sum(stored_bytes + ${bundleBytes("source_bundle")}) from source_bundle group by project_id`);

    const add = (of: string, bytes: string) => `insert into source_kept (project_id, bytes) values (${of}, ${bytes})
      on conflict (project_id) do update set bytes = max(0, bytes + excluded.bytes)`;
    const subtract = (bytes: string) =>
      `update source_kept set bytes = max(0, bytes - ${bytes}) where project_id = old.project_id`;
    this.addSql(`create trigger source_page_added after insert on source_blob_page begin
      ${add("(select project_id from source_blob where id = new.blob_id)", "octet_length(new.content)")};
    end`);
    // Before, because its pages go with it.
    this.addSql(`create trigger source_blob_removed before delete on source_blob begin
      ${subtract("(select coalesce(sum(octet_length(content)), 0) from source_blob_page where blob_id = old.id)")};
    end`);
    this.addSql(`create trigger source_artifact_added after insert on source_artifact begin
      ${add("new.project_id", "new.row_bytes")};
    end`);
    this.addSql(`create trigger source_artifact_removed after delete on source_artifact begin
      ${subtract("old.row_bytes")};
    end`);
    this.addSql(`create trigger source_bundle_added after insert on source_bundle begin
      ${add("new.project_id", bundleBytes("new"))};
    end`);
    this.addSql(`create trigger source_bundle_changed after update of chunks, debug_ids on source_bundle begin
      ${subtract(`((${bundleBytes("old")}) - (${bundleBytes("new")}))`)};
    end`);
    this.addSql(`create trigger source_bundle_removed after delete on source_bundle begin
      ${subtract(`(${bundleBytes("old")})`)};
    end`);
  }
}
