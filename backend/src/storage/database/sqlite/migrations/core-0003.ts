import { Migration } from "@mikro-orm/migrations";

/** Members and their roles, invitations and password links, custom roles, deleted projects, the audit log. */
export class Core0003 extends Migration {
  override name = "core-0003";

  override up(): void {
    this.addSql(`alter table user add column email text not null default ''`);
    this.addSql(`alter table user add column is_blocked integer not null default 0`);
    this.addSql(`alter table user add column last_sign_in_at integer`);
    this.addSql(`create unique index user_email on user (email collate nocase) where email <> ''`);

    this.addSql(`alter table session add column last_used_at integer not null default 0`);
    this.addSql(`update session set last_used_at = created_at`);
    this.addSql(`alter table session add column client_address text not null default ''`);
    this.addSql(`alter table session add column user_agent text not null default ''`);
    this.addSql(`create index session_user_id on session (user_id)`);
    this.addSql(`create index access_token_user_id on access_token (user_id, id)`);

    this.addSql(`alter table project add column deleted_at integer`);
    this.addSql(`alter table project add column deleted_path text`);

    this.addSql(`create table member_role (
      id integer primary key autoincrement,
      name text not null collate nocase unique,
      description text not null,
      base_role integer not null,
      permissions text not null,
      created_at integer not null
    ) strict`);
    this.addSql(`create table member (
      project_id integer not null references project (id) on delete cascade,
      user_id integer not null references user (id) on delete cascade,
      role integer not null,
      member_role_id integer references member_role (id),
      created_at integer not null,
      primary key (project_id, user_id)
    ) strict, without rowid`);
    this.addSql(`create index member_user_id on member (user_id)`);
    this.addSql(`create index member_member_role_id on member (member_role_id)`);
    this.addSql(`create table invitation (
      id integer primary key autoincrement,
      project_id integer not null references project (id) on delete cascade,
      token_digest text not null unique,
      role integer not null,
      member_role_id integer references member_role (id),
      note text not null,
      invited_by integer not null references user (id) on delete cascade,
      created_at integer not null,
      expires_at integer not null
    ) strict`);
    this.addSql(`create index invitation_project_id on invitation (project_id, id)`);
    this.addSql(`create table password_reset (
      user_id integer primary key references user (id) on delete cascade,
      token_digest text not null unique,
      created_at integer not null,
      expires_at integer not null
    ) strict`);

    // Names are written out, because users and projects may have been deleted when somebody reads them.
    this.addSql(`create table audit_event (
      id integer primary key autoincrement,
      at integer not null,
      user_id integer not null,
      username text not null,
      token_id integer not null,
      method text not null,
      project_id integer not null,
      project_path text not null,
      summary text not null
    ) strict`);
    this.addSql(`create index audit_event_user_id on audit_event (user_id, id)`);
    this.addSql(`create index audit_event_project_id on audit_event (project_id, id)`);

    this.addSql(`create table own_error_reporting (
      id integer primary key check (id = 1),
      enabled integer not null,
      dsn text,
      environment text not null,
      external_version text not null
    ) strict`);
  }
}
