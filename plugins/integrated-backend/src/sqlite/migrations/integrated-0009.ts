import { Migration } from "@mikro-orm/migrations";

/** Searches of two letters are looked up as the trigrams that begin with them. */
export class Integrated0009 extends Migration {
  override name = "integrated-0009";

  override up(): void {
    // FTS5's own list of the terms in its index. It stores nothing.
    this.addSql(`create virtual table integrated_search_term using fts5vocab (integrated_search, row)`);
  }
}
