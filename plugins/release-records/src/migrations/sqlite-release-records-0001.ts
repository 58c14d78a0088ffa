import { Migration } from "@mikro-orm/migrations";

/** Recorded releases, their commits and their deploys. */
export class ReleaseRecords0001 extends Migration {
  override name = "release-records-0001";

  override up(): void {
    this.addSql(`create table release_record (
      id integer primary key autoincrement,
      project_id integer not null references project (id) on delete cascade,
      version text not null,
      url text not null,
      ref text not null,
      created_at integer not null,
      started_at integer,
      released_at integer,
      used_at integer not null,
      commit_count integer not null,
      unique (project_id, version)
    ) strict`);
    this.addSql(`create table release_commit (
      release_id integer not null references release_record (id) on delete cascade,
      position integer not null,
      commit_id text not null,
      repository text not null,
      message text not null,
      author_name text not null,
      author_email text not null,
      committed_at integer,
      paths text not null,
      path_count integer not null,
      primary key (release_id, position)
    ) strict`);
    this.addSql(`create table release_deploy (
      id integer primary key autoincrement,
      project_id integer not null references project (id) on delete cascade,
      release_id integer not null references release_record (id) on delete cascade,
      environment text not null,
      name text not null,
      url text not null,
      started_at integer,
      finished_at integer not null
    ) strict`);
    this.addSql(`create index release_record_project_id on release_record (project_id, id)`);
    this.addSql(`create index release_record_used_at on release_record (used_at)`);
    this.addSql(`create index release_record_version on release_record (version)`);
    this.addSql(`create index release_deploy_finished_at on release_deploy (project_id, finished_at, id)`);
    this.addSql(`create index release_deploy_release_id on release_deploy (release_id, finished_at, id)`);
  }
}
