import { backup, DatabaseSync } from "node:sqlite";

/** The process that other-process.ts starts. It opens the file for each request, and never keeps it open. */
export interface SqliteRequest {
  readonly id: number;
  readonly file: string;
  /** Statements without results, a query, or the file that the database is copied to, page by page. */
  readonly work: { readonly exec: string } | { readonly query: string } | { readonly copyTo: string };
}

export interface SqliteReply {
  readonly id: number;
  readonly rows: Record<string, unknown>[];
  /** Set if the request failed. */
  readonly error?: string;
}

/** All pages in one step, because a copy in several steps starts again if the service writes in between. */
const everyPage = 2 ** 31 - 1;

async function rowsAfter({ file, work }: SqliteRequest): Promise<SqliteReply["rows"]> {
  using database = new DatabaseSync(file, { timeout: 5000 });
  if ("query" in work) return database.prepare(work.query).all();
  if ("exec" in work) database.exec(work.exec);
  else await backup(database, work.copyTo, { rate: everyPage });
  return [];
}

process.on("message", async (request: SqliteRequest) => {
  const { id } = request;
  const reply = await rowsAfter(request).then(
    (rows): SqliteReply => ({ id, rows }),
    (error: unknown): SqliteReply => ({ id, rows: [], error: String(error) }),
  );
  process.send?.(reply);
});
