import { Migration } from "@mikro-orm/migrations";

/**
 * Keeps feedback without its event, adds where it was written, and keeps its error when the event is deleted. SQLite
 * reads the table for each column and index, but it contains typed text and so does not grow with the events.
 */
export class Integrated0017 extends Migration {
  override name = "integrated-0017";

  override up(): void {
    for (const column of ["url", "source", "environment", "release"])
      this.addSql(`alter table integrated_feedback add column ${column} text not null default ''`);
    // Null while its event is stored.
    this.addSql(`alter table integrated_feedback add column error_id integer`);
    this.addSql(`create index integrated_feedback_project on integrated_feedback (project_id)`); // in the order of ids
    this.addSql(`create index integrated_feedback_error on integrated_feedback (error_id) where error_id is not null`);
  }
}
