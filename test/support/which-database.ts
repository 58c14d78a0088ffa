interface LeftOut {
  /** A file or folder under `test/`, or the beginning of such names. */
  readonly path: string;
  readonly why: string;
}

/** Whether services that store in PostgreSQL are tried by a file. */
export function isOnPostgresql(file: string): boolean {
  return file.startsWith("test/flow/") && !sqliteOnly.some(({ path }) => file.startsWith(`test/${path}`));
}

/** What is about SQLite. */
const sqliteOnly: readonly LeftOut[] = [
  ...whyEach("the SQLite file: its pages, log and locks, or a disk of its own that is full", [
    "flow/attacks/siege.test.ts",
    "flow/attacks/storage.test.ts",
    "flow/crash-points.test.ts",
    "flow/dashboards.test.ts",
    "flow/crash.test.ts",
    "flow/database-taken.test.ts",
    "flow/disk-full-sync.test.ts",
    "flow/disk-full-quotas.test.ts",
    "flow/disk-full.test.ts",
    "flow/robustness/storage.test.ts",
    "flow/storage-refused.test.ts",
    "flow/sync-order.test.ts",
  ]),
  ...whyEach("they choose the databases of their services themselves, PostgreSQL among them", [
    "flow/move",
    "flow/postgresql",
    "flow/several-processes/",
  ]),
  ...whyEach("files of releases before this one, which had no PostgreSQL", [
    "flow/migrations-large.test.ts",
    "flow/migrations-traffic.test.ts",
    "flow/migrations.test.ts",
  ]),
  ...whyEach("backups of the SQLite file, which PostgreSQL's own programs make there", ["flow/command-line.test.ts"]),
  ...whyEach("blocks of packed payloads, which PostgreSQL has not", ["flow/packing.test.ts"]),
  ...whyEach("its checks read the SQLite file itself; contract/ checks the same on both databases", [
    "flow/duplicates.test.ts",
    "flow/second-start.test.ts",
    "flow/stopping.test.ts",
  ]),
];

function whyEach(why: string, paths: readonly string[]): LeftOut[] {
  return paths.map((path) => ({ path, why }));
}
