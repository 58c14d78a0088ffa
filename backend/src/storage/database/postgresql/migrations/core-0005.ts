import { Migration } from "@mikro-orm/migrations";

/** The events that projects filter out, and how many they let in by hour. See core-0009 of SQLite. */
export class PostgresqlCore0005 extends Migration {
  override name = "postgresql-core-0005";

  override up(): void {
    this.addSql(`create table inbound_filter (
      project_id bigint primary key references project (id) on delete cascade,
      addresses text collate "C" not null default '',
      releases text collate "C" not null default '',
      environments text collate "C" not null default '',
      messages text collate "C" not null default '',
      types text collate "C" not null default '',
      web_crawlers boolean not null default false,
      old_browsers boolean not null default false,
      browser_extensions boolean not null default false,
      localhost boolean not null default false,
      spike_protection boolean not null default true,
      spikes_sampled_from bigint not null default 0,
      revision integer not null default 0,
      updated_at bigint not null default 0
    )`);
    this.addSql(`insert into inbound_filter (project_id, spikes_sampled_from)
      select id, (extract(epoch from now())::bigint + 7 * 24 * 3600) * 1000 from project`);
    this.addSql(`create table event_hour (
      project_id bigint not null references project (id) on delete cascade,
      hour bigint not null,
      event_count bigint not null,
      primary key (project_id, hour)
    )`);
    this.addSql(`create index event_hour_hour on event_hour (hour)`);
  }
}
