import { Migration } from "@mikro-orm/migrations";

/** The limits of client keys, and their traffic. The tables of traffic outlive a deleted key, for 90 days. */
export class Core0007 extends Migration {
  override name = "core-0007";

  override up(): void {
    // A project has 50 keys at most, so reading the table is fast.
    this.addSql(`alter table client_key add column active integer not null default 1`);
    this.addSql(`alter table client_key add column events_per_minute integer not null default 0`);
    this.addSql(`alter table client_key add column events_per_day integer not null default 0`);
    this.addSql(`alter table client_key add column allowed_origins text not null default ''`);
    // An empty reason counts accepted events.
    this.addSql(`create table client_key_traffic (
      key_id integer not null,
      hour integer not null,
      reason text not null,
      project_id integer not null references project (id) on delete cascade,
      quantity integer not null,
      bytes integer not null,
      primary key (key_id, hour, reason)
    ) strict, without rowid`);
    this.addSql(`create index client_key_traffic_hour on client_key_traffic (hour)`);
    this.addSql(`create index client_key_traffic_project_id on client_key_traffic (project_id)`);
    // An empty network counts all other networks.
    this.addSql(`create table client_key_network (
      key_id integer not null,
      day integer not null,
      network text not null,
      project_id integer not null references project (id) on delete cascade,
      quantity integer not null,
      primary key (key_id, day, network)
    ) strict, without rowid`);
    this.addSql(`create index client_key_network_day on client_key_network (day)`);
    this.addSql(`create index client_key_network_project_id on client_key_network (project_id)`);
  }
}
