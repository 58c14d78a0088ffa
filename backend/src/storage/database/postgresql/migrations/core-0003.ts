import { Migration } from "@mikro-orm/migrations";

/** The limits of client keys, and their traffic. The tables of traffic outlive a deleted key, for 90 days. */
export class PostgresqlCore0003 extends Migration {
  override name = "postgresql-core-0003";

  override up(): void {
    this.addSql(`alter table client_key
      add column active boolean not null default true,
      add column events_per_minute bigint not null default 0,
      add column events_per_day bigint not null default 0,
      add column allowed_origins text collate "C" not null default ''`);
    // An empty reason counts accepted events.
    this.addSql(`create table client_key_traffic (
      key_id bigint not null,
      hour bigint not null,
      reason text collate "C" not null,
      project_id bigint not null references project (id) on delete cascade,
      quantity bigint not null,
      bytes bigint not null,
      primary key (key_id, hour, reason)
    )`);
    this.addSql(`create index client_key_traffic_hour on client_key_traffic (hour)`);
    this.addSql(`create index client_key_traffic_project_id on client_key_traffic (project_id)`);
    // An empty network counts all other networks.
    this.addSql(`create table client_key_network (
      key_id bigint not null,
      day bigint not null,
      network text collate "C" not null,
      project_id bigint not null references project (id) on delete cascade,
      quantity bigint not null,
      primary key (key_id, day, network)
    )`);
    this.addSql(`create index client_key_network_day on client_key_network (day)`);
    this.addSql(`create index client_key_network_project_id on client_key_network (project_id)`);
  }
}
