import { Migration } from "@mikro-orm/migrations";

/**
 * Feedback is kept without its event, says where it was written, and keeps its error when its event goes. SQLite reads the
 * table for each column and index; it holds what people typed, and so does not grow with the events.
 */
export class Integrated0017 extends Migration {
  override name = "integrated-0017";

  override up(): void {
    for (const column of ["url", "source", "environment", "release"])
      this.addSql(`alter table integrated_feedback add column ${column} text not null default ''`);
    // Null while its event is stored.
    this.addSql(`alter table integrated_feedback add column error_id integer`);
    this.addSql(`create index integrated_feedback_project on integrated_feedback (project_id)`); // with the id, in its order
    this.addSql(`create index integrated_feedback_error on integrated_feedback (error_id) where error_id is not null`);
  }
}
