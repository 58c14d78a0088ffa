import { Migration } from "@mikro-orm/migrations";

/**
 * The events that projects filter out, and how many they let in by hour. An existing project is not sampled for a week,
 * until its usual day is known.
 */
export class Core0009 extends Migration {
  override name = "core-0009";

  override up(): void {
    this.addSql(`create table inbound_filter (
      project_id integer primary key references project (id) on delete cascade,
      addresses text not null default '',
      releases text not null default '',
      environments text not null default '',
      messages text not null default '',
      types text not null default '',
      web_crawlers integer not null default 0,
      old_browsers integer not null default 0,
      browser_extensions integer not null default 0,
      localhost integer not null default 0,
      spike_protection integer not null default 1,
      spikes_sampled_from integer not null default 0,
      revision integer not null default 0,
      updated_at integer not null default 0
    ) strict`);
    this.addSql(`insert into inbound_filter (project_id, spikes_sampled_from)
      select id, (unixepoch() + 7 * 24 * 3600) * 1000 from project`);
    this.addSql(`create table event_hour (
      project_id integer not null references project (id) on delete cascade,
      hour integer not null,
      event_count integer not null,
      primary key (project_id, hour)
    ) strict, without rowid`);
    this.addSql(`create index event_hour_hour on event_hour (hour)`);
  }
}
