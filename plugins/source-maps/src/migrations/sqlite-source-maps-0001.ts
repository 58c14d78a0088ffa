import { Migration } from "@mikro-orm/migrations";

/** Uploaded source maps: chunks, bundles, what they have for each file, and the content by pages. */
export class SourceMaps0001 extends Migration {
  override name = "source-maps-0001";

  override up(): void {
    this.addSql(`create table source_chunk (
      user_id integer not null references user (id) on delete cascade,
      sha1 blob not null,
      size integer not null,
      created_at integer not null,
      content blob not null,
      primary key (user_id, sha1)
    ) strict`);
    this.addSql(`create table source_bundle (
      id integer primary key autoincrement,
      project_id integer not null references project (id) on delete cascade,
      user_id integer references user (id) on delete set null,
      checksum blob not null,
      release text not null,
      dist text not null,
      chunks text not null,
      state integer not null,
      detail text not null,
      warnings text not null,
      file_count integer not null,
      mapped_file_count integer not null,
      stored_bytes integer not null,
      created_at integer not null,
      used_at integer,
      unique (project_id, checksum, release, dist)
    ) strict`);
    this.addSql(`create table source_artifact (
      id integer primary key autoincrement,
      project_id integer not null references project (id) on delete cascade,
      bundle_id integer not null references source_bundle (id) on delete cascade,
      url text not null,
      kind text not null,
      index_blob_id integer,
      sources_blob_id integer
    ) strict`);
    this.addSql(`create table source_debug_id (
      project_id integer not null references project (id) on delete cascade,
      debug_id blob not null,
      artifact_id integer not null references source_artifact (id) on delete cascade,
      primary key (project_id, debug_id, artifact_id)
    ) strict, without rowid`);
    this.addSql(`create table source_blob (
      id integer primary key autoincrement,
      project_id integer not null,
      digest blob not null,
      size integer not null,
      is_complete integer not null,
      unique (project_id, digest)
    ) strict`);
    this.addSql(`create table source_blob_page (
      blob_id integer not null references source_blob (id) on delete cascade,
      page integer not null,
      content blob not null,
      primary key (blob_id, page)
    ) strict`);
    this.addSql(`create table source_blob_use (
      artifact_id integer not null references source_artifact (id) on delete cascade,
      blob_id integer not null references source_blob (id) on delete cascade,
      primary key (artifact_id, blob_id)
    ) strict, without rowid`);
    this.addSql(`create index source_chunk_age on source_chunk (created_at)`);
    this.addSql(`create index source_bundle_release on source_bundle (project_id, release, id)`);
    this.addSql(`create index source_bundle_user_id on source_bundle (user_id)`);
    this.addSql(`create index source_bundle_state on source_bundle (state)`);
    this.addSql(`create index source_artifact_url on source_artifact (project_id, url)`);
    this.addSql(`create index source_artifact_bundle_id on source_artifact (bundle_id)`);
    this.addSql(`create index source_debug_id_artifact_id on source_debug_id (artifact_id)`);
    this.addSql(`create index source_blob_use_blob_id on source_blob_use (blob_id)`);
  }
}
