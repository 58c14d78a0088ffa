interface LeftOut {
  /** A file or folder under `test/`, or the beginning of such names. */
  readonly path: string;
  readonly why: string;
}

/** Whether services that store in PostgreSQL are tried by a file; `isWhole`: where time does not matter. */
export function isOnPostgresql(file: string, isWhole: boolean): boolean {
  const leftOut = isWhole ? sqliteOnly : [...sqliteOnly, ...longRun];
  return file.startsWith("test/flow/") && !leftOut.some(({ path }) => file.startsWith(`test/${path}`));
}

/** What is about SQLite. */
const sqliteOnly: readonly LeftOut[] = [
  ...whyEach("the SQLite file: its pages, log and locks, or a disk of its own that is full", [
    "flow/attacks/storage.test.ts",
    "flow/crash-points.test.ts",
    "flow/dashboards.test.ts",
    "flow/crash.test.ts",
    "flow/database-taken.test.ts",
    "flow/disk-full-sync.test.ts",
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

/** What `npm test` leaves to `npm run test:postgresql`, so that it takes less than ten minutes on two cores. */
const longRun: readonly LeftOut[] = [
  ...whyEach("how requests are read and refused before anything is stored", [
    "flow/attacks/cross-site.test.ts",
    "flow/attacks/guessing.test.ts",
    "flow/attacks/headers.test.ts",
    "flow/attacks/host.test.ts",
    "flow/attacks/ids-and-paths.test.ts",
    "flow/attacks/sign-in-flood.test.ts",
    "flow/instance/grpc-walls.test.ts",
    "flow/rest/document.test.ts",
    "flow/rest/odd-parameters.test.ts",
    "flow/robustness/authentication.test.ts",
    "flow/robustness/framing.test.ts",
    "flow/robustness/large.test.ts",
    "flow/robustness/limits.test.ts",
    "flow/robustness/stalled.test.ts",
    "flow/robustness/transport.test.ts",
  ]),
  ...whyEach("what other systems are asked and what they answer, of which nothing is stored", [
    "flow/all-errors.test.ts",
    "flow/attacks/outbound",
    "flow/external/asking.test.ts",
    "flow/external/connect.test.ts",
    "flow/external/hostile-",
    "flow/external/system-down.test.ts",
    "flow/external-lookup.test.ts",
  ]),
  ...whyEach("what is the same in every process: its traces, its description of itself, its times", [
    "flow/attacks/live-pages.test.ts",
    "flow/clock-jumps.test.ts",
    "flow/deprecations.test.ts",
    "flow/reflection.test.ts",
    "flow/tracing.test.ts",
  ]),
];

function whyEach(why: string, paths: readonly string[]): LeftOut[] {
  return paths.map((path) => ({ path, why }));
}
