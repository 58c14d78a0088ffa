import { Migration } from "@mikro-orm/migrations";

/**
 * Limits of values in sessions: 50,000 users of a release and 100,000 of a project are counted separately per day, and
 * all others are counted as one user without a name. session-procedure.ts limits releases by the counts made here.
 */
export class Integrated0008 extends Migration {
  override name = "integrated-0008";

  override up(): void {
    // The environments of a project, with their number of releases. Empty until the project's next new release, which
    // counts the existing releases. The release without a name represents all others and is not counted.
    this.addSql(`create table integrated_environment (
      project_id integer not null,
      environment text not null,
      release_count integer not null,
      primary key (project_id, environment)
    ) strict, without rowid`);
    this.addSql(`create trigger integrated_release_added after insert on integrated_release when new.version <> '' begin
      insert into integrated_environment (project_id, environment, release_count)
      select new.project_id, new.environment, 1
      where exists (select 1 from integrated_environment where project_id = new.project_id)
      on conflict (project_id, environment) do update set release_count = release_count + 1;

      -- Asked first, as a condition beside the others would be asked for each release of the project.
      insert into integrated_environment (project_id, environment, release_count)
      select r.project_id, r.environment, count(*)
      from (select 1 where not exists (select 1 from integrated_environment where project_id = new.project_id))
      cross join integrated_release r on r.project_id = new.project_id and r.version <> ''
      group by r.project_id, r.environment;
    end`);
    this
      .addSql(`create trigger integrated_release_removed after delete on integrated_release when old.version <> '' begin
      update integrated_environment set release_count = release_count - 1
      where project_id = old.project_id and environment = old.environment;

      delete from integrated_environment
      where project_id = old.project_id and environment = old.environment and release_count <= 0;
    end`);

    // The number of users of a day that are counted separately; release 0 is the whole project. The first counted user
    // creates the row from the existing users.
    this.addSql(`create table integrated_session_day (
      project_id integer not null,
      day integer not null,
      release_id integer not null,
      user_count integer not null,
      primary key (project_id, day, release_id)
    ) strict, without rowid`);
    this.addSql(`create index integrated_session_day_expired on integrated_session_day (day)`);
    this.addSql(`create trigger integrated_session_user_added after insert on integrated_session_user
    when new.user <> '' begin
      update integrated_session_day set user_count = user_count + 1
      where project_id = (select project_id from integrated_release where id = new.release_id)
        and day = new.day and release_id in (0, new.release_id);
    end`);

    // Statements that count a user's sessions of a day write into this view.
    this.addSql(`create view integrated_session_counted as select
      null as project_id, null as release_id, null as day, null as user, null as session_count, null as crashed_count
      where false`);
    this.addSql(`create trigger integrated_session_counted_user instead of insert on integrated_session_counted
    when new.user <> '' begin
      insert into integrated_session_day (project_id, day, release_id, user_count)
      select new.project_id, new.day, 0, (
        select count(*) from integrated_release r
        join integrated_session_user u on u.release_id = r.id and u.day = new.day and u.user <> ''
        where r.project_id = new.project_id)
      where not exists (
        select 1 from integrated_session_day where project_id = new.project_id and day = new.day and release_id = 0);

      insert into integrated_session_day (project_id, day, release_id, user_count)
      select new.project_id, new.day, new.release_id, (
        select count(*) from integrated_session_user where release_id = new.release_id and day = new.day and user <> '')
      where not exists (
        select 1 from integrated_session_day
        where project_id = new.project_id and day = new.day and release_id = new.release_id);

      insert into integrated_session_user (release_id, day, user, session_count, crashed_count)
      select new.release_id, new.day, case
        when exists (
          select 1 from integrated_session_user where release_id = new.release_id and day = new.day and user = new.user)
        then new.user
        when exists (
          select 1 from integrated_session_day where project_id = new.project_id and day = new.day
            and (release_id = 0 and user_count >= 100000 or release_id = new.release_id and user_count >= 50000))
        then ''
        else new.user
      end, new.session_count, new.crashed_count
      where true
      on conflict (release_id, day, user) do update set
        session_count = session_count + excluded.session_count, crashed_count = crashed_count + excluded.crashed_count;
    end`);

    for (const trigger of ["added", "user_found", "changed"]) {
      this.addSql(`drop trigger integrated_session_${trigger}`);
    }
    this.addSql(`create trigger integrated_session_added after insert on integrated_session begin
      insert into integrated_session_hour (release_id, hour, total, errored, crashed, abnormal)
      values (new.release_id, new.hour, 1, new.errored, new.crashed, new.abnormal)
      on conflict (release_id, hour) do update set total = total + 1, errored = errored + excluded.errored,
        crashed = crashed + excluded.crashed, abnormal = abnormal + excluded.abnormal;

      insert into integrated_session_counted (project_id, release_id, day, user, session_count, crashed_count)
      values (new.project_id, new.release_id, new.hour / 24, new.user, 1, new.crashed);
    end`);
    this.addSql(`create trigger integrated_session_user_found after update on integrated_session
    when old.user = '' and new.user <> '' begin
      insert into integrated_session_counted (project_id, release_id, day, user, session_count, crashed_count)
      values (new.project_id, new.release_id, new.hour / 24, new.user, 1, new.crashed);
    end`);
    this.addSql(`create trigger integrated_session_changed after update on integrated_session
    when new.errored <> old.errored or new.crashed <> old.crashed or new.abnormal <> old.abnormal begin
      update integrated_session_hour set errored = errored + new.errored - old.errored,
        crashed = crashed + new.crashed - old.crashed, abnormal = abnormal + new.abnormal - old.abnormal
      where release_id = new.release_id and hour = new.hour;

      update integrated_session_user set crashed_count = crashed_count + new.crashed - old.crashed
      where old.user <> '' and release_id = new.release_id and day = new.hour / 24 and user = case
        when exists (
          select 1 from integrated_session_user
          where release_id = new.release_id and day = new.hour / 24 and user = old.user)
        then old.user
        else ''
      end;
    end`);
  }
}
