/** Files and folders under `test/` that are left out where services store in PostgreSQL, and why. */
export const sqliteOnly: readonly { readonly path: string; readonly why: string }[] = [
  ...whyEach("the SQLite file: its pages, log and locks, or a disk of its own that is full", [
    "flow/attacks/storage.test.ts",
    "flow/crash-points.test.ts",
    "flow/crash.test.ts",
    "flow/database-taken.test.ts",
    "flow/disk-full-sync.test.ts",
    "flow/disk-full.test.ts",
    "flow/robustness/storage.test.ts",
    "flow/storage-refused.test.ts",
    "flow/sync-order.test.ts",
  ]),
  ...whyEach("files of releases before this one, which had no PostgreSQL", [
    "flow/migrations-large.test.ts",
    "flow/migrations-traffic.test.ts",
    "flow/migrations.test.ts",
  ]),
  ...whyEach("backups of the SQLite file, which PostgreSQL's own programs make there", ["flow/command-line.test.ts"]),
  ...whyEach("blocks of packed payloads, which PostgreSQL has not", ["flow/packing.test.ts"]),
  ...whyEach("its checks read the SQLite file itself; contract/ checks the same on both databases", [
    "flow/attacks/queries.test.ts",
    "flow/attacks/secrets.test.ts",
    "flow/attacks/tokens.test.ts",
    "flow/duplicates.test.ts",
    "flow/outcomes.test.ts",
    "flow/second-start.test.ts",
    "flow/stopping.test.ts",
  ]),
];

function whyEach(why: string, paths: readonly string[]) {
  return paths.map((path) => ({ path, why }));
}
