/** The snippets of the page for a language or framework. */
export interface Snippets {
  readonly key: string;
  readonly name: string;
  /** The newest tested version of the SDK, which the snippets install. Undefined if the snippets were not run. */
  readonly version?: string;
  /** The specification's version, which was also tested; undefined if the specification names none. */
  readonly specified?: string;
  /**
   * Whether the snippets install a newer version than tested, because the SDK's registry could not be reached to run
   * it.
   */
  readonly installsNewest?: boolean;
  /** Where the snippets were run, if not in the usual place of their applications. */
  readonly testedIn?: string;
  readonly endpoint: "store" | "envelope";
  readonly items: string;
  readonly install: string;
  /** How to diagnose send problems, if the SDK has an option for it. */
  readonly debugNote: string;
  readonly start: (dsn: string) => string;
  readonly identify: string;
  readonly test: string;
}

/** The note of SDKs with an option `debug`. */
export const debugOn = "debug prints what the SDK sends. Remove it once errors arrive.";

/** The snippets with the DSN. */
export const withDsn = (snippets: Snippets, dsn: string) => ({
  tried: triedWith(snippets),
  ...snippets,
  start: snippets.start(dsn),
});

/** The versions that the snippets were tested with, using the endpoint of the specification. */
export function triedWith({ version, specified = version, installsNewest, testedIn, endpoint }: Snippets): string {
  if (version === undefined) return "Written from the SDK's documentation; only the form of its events was tested";
  if (installsNewest) {
    return `Tested with ${version} at the ${endpoint} endpoint; the newest version, which these lines install, was not run`;
  }
  if (testedIn !== undefined) return `Tested with ${version} ${testedIn} · ${endpoint} endpoint`;
  return specified === version
    ? `Tested with ${version} · ${endpoint} endpoint`
    : `Tested with ${version}, and with ${specified} at the ${endpoint} endpoint`;
}
