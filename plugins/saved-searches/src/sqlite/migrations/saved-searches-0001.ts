import { Migration } from "@mikro-orm/migrations";

/** Named searches of a person in a project or, without a person, of the project. */
export class SavedSearches0001 extends Migration {
  override name = "saved-searches-0001";

  override up(): void {
    this.addSql(`create table saved_search (
      id integer primary key autoincrement,
      project_id integer not null references project (id) on delete cascade,
      user_id integer references user (id) on delete cascade,
      position integer not null,
      name text not null,
      query text not null,
      status integer not null,
      sort integer not null
    ) strict`);
    this.addSql(`create index saved_search_list on saved_search (project_id, user_id)`);
    this.addSql(`create index saved_search_user_id on saved_search (user_id)`);
  }
}
