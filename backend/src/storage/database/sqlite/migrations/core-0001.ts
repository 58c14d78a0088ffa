import { Migration } from "@mikro-orm/migrations";

/** Users, sessions, tokens, projects, settings and client keys. */
export class Core0001 extends Migration {
  override name = "core-0001";

  override up(): void {
    this.addSql(`create table user (
      id integer primary key autoincrement,
      username text not null collate nocase unique,
      name text not null,
      password_hash text not null,
      is_admin integer not null,
      created_at integer not null
    ) strict`);
    this.addSql(`create table session (
      id integer primary key autoincrement,
      user_id integer not null references user (id) on delete cascade,
      token_digest text not null unique,
      created_at integer not null,
      expires_at integer not null
    ) strict`);
    this.addSql(`create index session_expires_at on session (expires_at)`);
    this.addSql(`create table access_token (
      id integer primary key autoincrement,
      user_id integer not null references user (id) on delete cascade,
      name text not null,
      scopes text not null,
      token_digest text not null unique,
      created_at integer not null,
      expires_at integer,
      last_used_at integer,
      revoked_at integer
    ) strict`);
    this.addSql(`create table project (
      id integer primary key autoincrement,
      path text not null collate nocase unique,
      name text not null,
      monitor_enabled integer not null,
      created_at integer not null
    ) strict`);
    this.addSql(`create table settings (
      id integer primary key references project (id) on delete cascade,
      active integer not null,
      backend integer not null,
      external_api_url text not null,
      external_auth_token text,
      external_project_id text not null,
      external_project_slug text not null,
      external_project_name text not null,
      external_organization_slug text not null,
      external_organization_name text not null,
      revision integer not null,
      updated_at integer not null
    ) strict`);
    this.addSql(`create table client_key (
      id integer primary key autoincrement,
      project_id integer not null references project (id) on delete cascade,
      key_digest text not null unique,
      sealed_pair text not null,
      created_at integer not null,
      last_used_at integer
    ) strict`);
    this.addSql(`create index client_key_project_id on client_key (project_id, id)`);
  }
}
