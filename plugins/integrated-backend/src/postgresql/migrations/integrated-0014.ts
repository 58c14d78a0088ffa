import { Migration } from "@mikro-orm/migrations";

const text = `text collate "C" not null`;

/** Feedback without its event: the columns of SQLite's integrated-0017. The primary key serves its list. */
export class Integrated0014 extends Migration {
  override name = "integrated-0014";

  override up(): void {
    for (const column of ["url", "source", "environment", "release"])
      this.addSql(`alter table integrated_feedback add column ${column} ${text} default ''`);
    this.addSql(`alter table integrated_feedback add column error_id bigint`);
    this.addSql(`create index integrated_feedback_error on integrated_feedback (project_id, error_id)
      where error_id is not null`);
  }
}
