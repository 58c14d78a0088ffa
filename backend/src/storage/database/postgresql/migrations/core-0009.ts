import { Migration } from "@mikro-orm/migrations";

/** The identities by which people sign in, and triggers for the previous release. See core-0013 of SQLite. */
export class PostgresqlCore0009 extends Migration {
  override name = "postgresql-core-0009";

  override up(): void {
    this.addSql(`create table identity (
      kind text collate "C" not null,
      subject text collate "C" not null,
      user_id bigint not null references "user" (id) on delete cascade,
      verifier text collate "C" not null,
      created_at bigint not null,
      primary key (kind, subject)
    )`);
    this.addSql(`create index identity_user_id on identity (user_id)`);
    this.addSql(`insert into identity (kind, subject, user_id, verifier, created_at)
      select 'password', id::text, id, password_hash, created_at from "user" where password_hash <> ''`);

    this.addSql(`create function user_password_written() returns trigger language plpgsql as $body$
    begin
      insert into identity (kind, subject, user_id, verifier, created_at)
      values ('password', new.id::text, new.id, new.password_hash,
        case tg_op when 'INSERT' then new.created_at else (extract(epoch from now()) * 1000)::bigint end)
      on conflict (kind, subject) do update set verifier = excluded.verifier where identity.verifier <> excluded.verifier;
      return null;
    end $body$`);
    this.addSql(`create trigger user_password_inserted after insert on "user" for each row
      when (new.password_hash <> '') execute function user_password_written()`);
    this.addSql(`create trigger user_password_updated after update of password_hash on "user" for each row
      when (new.password_hash <> old.password_hash) execute function user_password_written()`);
    this.addSql(`create function identity_written() returns trigger language plpgsql as $body$
    begin
      update "user" set password_hash = new.verifier where id = new.user_id and password_hash <> new.verifier;
      return null;
    end $body$`);
    this.addSql(`create trigger identity_inserted after insert on identity for each row
      when (new.kind = 'password') execute function identity_written()`);
    this.addSql(`create trigger identity_updated after update of verifier on identity for each row
      when (new.kind = 'password') execute function identity_written()`);
  }
}
