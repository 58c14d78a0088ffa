import { Migration } from "@mikro-orm/migrations";

/**
 * The identities by which people sign in. A password is an identity of the kind `password`; its subject is the id of
 * the user. The previous release reads and writes only `user.password_hash`, so triggers keep both equal after writes
 * of either release. The next release drops the triggers and the column.
 */
export class Core0013 extends Migration {
  override name = "core-0013";

  override up(): void {
    this.addSql(`create table identity (
      kind text not null,
      subject text not null,
      user_id integer not null references user (id) on delete cascade,
      verifier text not null,
      created_at integer not null,
      primary key (kind, subject)
    ) strict, without rowid`);
    this.addSql(`create index identity_user_id on identity (user_id)`);
    this.addSql(`insert into identity (kind, subject, user_id, verifier, created_at)
      select 'password', id, id, password_hash, created_at from user where password_hash <> ''`);

    this.addSql(`create trigger user_password_inserted after insert on user when new.password_hash <> '' begin
      insert into identity (kind, subject, user_id, verifier, created_at)
      values ('password', new.id, new.id, new.password_hash, new.created_at);
    end`);
    this.addSql(`create trigger user_password_updated after update of password_hash on user
    when new.password_hash <> old.password_hash
    begin
      insert into identity (kind, subject, user_id, verifier, created_at)
      values ('password', new.id, new.id, new.password_hash, unixepoch() * 1000)
      on conflict (kind, subject) do update set verifier = excluded.verifier where verifier <> excluded.verifier;
    end`);
    const toUser = `begin
      update user set password_hash = new.verifier where id = new.user_id and password_hash <> new.verifier;
    end`;
    this.addSql(`create trigger identity_inserted after insert on identity when new.kind = 'password' ${toUser}`);
    this.addSql(
      `create trigger identity_updated after update of verifier on identity when new.kind = 'password' ${toUser}`,
    );
  }
}
