/** The expected end of a command: its exit code, and words of its output. */
export type Ended = readonly [code: number, words: RegExp];

/** A command of sentry-cli, run in a folder that has a repository and a build in `dist`. */
export interface CommandCase {
  readonly words: string;
  /** The end with a token of the scope upload, in either spelling. */
  readonly allowed: Ended;
  /** The end with an unknown token. */
  readonly wrong?: Ended;
  /** The end with a token that only reads. */
  readonly reading?: Ended;
}

const release = "-r shop@1.0.0";
/** Also to a token of the scope upload what lists or deletes: it records, and reads nothing. */
const noPermission: Ended = [1, /do not have permission/];
const denied = { wrong: [1, /Invalid token|invalid tokens/], reading: noPermission } as const;
/** A command that asks no service ends in the same way with any token. */
const offline = (ended: Ended) => ({ allowed: ended, wrong: ended, reading: ended });

/**
 * The commands that builds use, for release 2 and 3. `login` is left out, because it asks a person. The tests of a
 * plugin assert what succeeds with that plugin's tokens.
 */
export const commandsOf = (version: string): readonly CommandCase[] => [
  {
    words: "info",
    allowed: [0, /Default Project: web[\s\S]*org:ci/],
    wrong: denied.wrong,
    reading: [0, /project:read/],
  },
  { words: "releases new shop@1.0.0", allowed: [0, /Created release shop@1\.0\.0/], ...denied },
  { words: "releases set-commits shop@1.0.0 --local --initial-depth 1", allowed: [0, /./], ...denied },
  { words: "releases finalize shop@1.0.0", allowed: [0, /Finalized release shop@1\.0\.0/], ...denied },
  { words: "releases info shop@1.0.0", allowed: [0, /shop@1\.0\.0/], wrong: denied.wrong },
  { words: "releases list", allowed: noPermission, wrong: denied.wrong, reading: [0, /shop@1\.0\.0/] },
  { words: `deploys new ${release} -e production`, allowed: [0, /Created new deploy .*'production'/], ...denied },
  { words: `deploys list ${release}`, allowed: noPermission, ...denied },
  { words: "releases delete shop@0.0.1", allowed: version.startsWith("2.") ? noPermission : [0, /does not exist/] },
  { words: "sourcemaps inject dist", ...offline([0, /Source Map Debug ID Injection Report/]) },
  { words: "sourcemaps resolve dist/app.js.map -l 1 -c 20", ...offline([0, /source map type: regular/]) },
  { words: `sourcemaps upload dist ${release}`, allowed: [0, /File processing complete/], ...denied },
  { words: `sourcemaps upload dist ${release} --wait`, allowed: [0, /Nothing to upload/], ...denied },
  { words: "debug-files upload dist", allowed: [0, /No debug information files found/], wrong: denied.wrong },
  // Release 2 looks for the file before it asks the service.
  {
    words: "upload-proguard missing.txt",
    ...(version.startsWith("2.")
      ? offline([1, /missing\.txt|No such file/])
      : { allowed: absent, wrong: denied.wrong }),
  },
  ...(version.startsWith("2.") ? removedIn3 : removedIn3.map(({ words }) => ({ words, ...offline(unknown) }))),
];

const absent: Ended = [0, /'missing\.txt' does not exist/];

const unknown: Ended = [2, /unrecognized subcommand/];

const oneByOne: Ended = [1, /sourcemaps upload/];

const removedIn3: readonly CommandCase[] = [
  { words: "sourcemaps explain 0123456789abcdef0123456789abcdef", allowed: [1, /permission/], wrong: denied.wrong },
  { words: "releases files shop@1.0.0 list", allowed: oneByOne, ...denied },
  { words: `files ${release} upload dist/app.js`, allowed: oneByOne, wrong: denied.wrong },
];
