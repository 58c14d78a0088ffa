import { Migration } from "@mikro-orm/migrations";

/** Releases, sessions with their counters, and users' feedback. Hours and days are counted from 1970. */
export class Integrated0002 extends Migration {
  override name = "integrated-0002";

  override up(): void {
    // A release in one environment, with the hours of its first and last counted session.
    this.addSql(`create table integrated_release (
      id integer primary key,
      project_id integer not null,
      version text not null,
      environment text not null,
      first_hour integer,
      last_hour integer,
      unique (project_id, version, environment)
    ) strict`);
    this.addSql(`create index integrated_release_seen on integrated_release (project_id, last_hour, environment)`);
    this.addSql(`create index integrated_release_first_hour on integrated_release (first_hour)`);

    // The state of a session while updates of it can arrive. The status numbers are the numbers of SessionStatus.
    this.addSql(`create table integrated_session (
      id integer primary key,
      project_id integer not null,
      session_id blob not null,
      release_id integer not null,
      hour integer not null,
      user text not null,
      sequence integer not null,
      updated_at integer not null,
      status integer not null,
      error_count integer not null,
      received_at integer not null,
      crashed integer as (status = 6),
      abnormal integer as (status = 5),
      errored integer as (status not in (5, 6) and (error_count > 0 or status in (3, 4))),
      unique (project_id, session_id)
    ) strict`);

    // Counters of the sessions that started in an hour. The remaining sessions are healthy.
    this.addSql(`create table integrated_session_hour (
      release_id integer not null,
      hour integer not null,
      total integer not null,
      errored integer not null,
      crashed integer not null,
      abnormal integer not null,
      primary key (release_id, hour)
    ) strict, without rowid`);

    this.addSql(`create table integrated_session_user (
      release_id integer not null,
      day integer not null,
      user text not null,
      session_count integer not null,
      crashed_count integer not null,
      primary key (release_id, day, user)
    ) strict, without rowid`);

    // Triggers keep the counters equal to a recount, whichever statement writes sessions. There is no trigger on
    // delete, because the counters outlive the sessions.
    this.addSql(`create trigger integrated_session_added after insert on integrated_session begin
      insert into integrated_session_hour (release_id, hour, total, errored, crashed, abnormal)
      values (new.release_id, new.hour, 1, new.errored, new.crashed, new.abnormal)
      on conflict (release_id, hour) do update set total = total + 1, errored = errored + excluded.errored,
        crashed = crashed + excluded.crashed, abnormal = abnormal + excluded.abnormal;

      insert into integrated_session_user (release_id, day, user, session_count, crashed_count)
      select new.release_id, new.hour / 24, new.user, 1, new.crashed where new.user <> ''
      on conflict (release_id, day, user) do update set
        session_count = session_count + 1, crashed_count = crashed_count + excluded.crashed_count;
    end`);
    this.addSql(`create trigger integrated_session_user_found after update on integrated_session
    when old.user = '' and new.user <> '' begin
      insert into integrated_session_user (release_id, day, user, session_count, crashed_count)
      values (new.release_id, new.hour / 24, new.user, 1, new.crashed)
      on conflict (release_id, day, user) do update set
        session_count = session_count + 1, crashed_count = crashed_count + excluded.crashed_count;
    end`);
    this.addSql(`create trigger integrated_session_changed after update on integrated_session
    when new.errored <> old.errored or new.crashed <> old.crashed or new.abnormal <> old.abnormal begin
      update integrated_session_hour set errored = errored + new.errored - old.errored,
        crashed = crashed + new.crashed - old.crashed, abnormal = abnormal + new.abnormal - old.abnormal
      where release_id = new.release_id and hour = new.hour;

      update integrated_session_user set crashed_count = crashed_count + new.crashed - old.crashed
      where release_id = new.release_id and day = new.hour / 24 and user = old.user;
    end`);
    this.addSql(`create trigger integrated_session_hour_added after insert on integrated_session_hour begin
      update integrated_release set
        first_hour = min(coalesce(first_hour, new.hour), new.hour),
        last_hour = max(coalesce(last_hour, new.hour), new.hour)
      where id = new.release_id;
    end`);

    // The hash of name, email and comments identifies feedback that is sent again.
    this.addSql(`create table integrated_feedback (
      id integer primary key,
      project_id integer not null,
      event_id blob not null,
      content_hash blob not null,
      name text not null,
      email text not null,
      comments text not null,
      received_at integer not null,
      unique (project_id, event_id, content_hash)
    ) strict`);
  }
}
