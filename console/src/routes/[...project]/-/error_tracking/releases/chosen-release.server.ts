import type { Commit, ReleaseRecord } from "#lib/messages.ts";
import { firstReleaseFilter } from "#lib/search/search-terms.ts";
import { refusedInPlace } from "#lib/server/refused-in-place.ts";
import type { Api } from "#lib/server/trpc/caller.ts";
import { refusalOfTrpc } from "#lib/server/trpc/procedures.ts";

const shownCommits = 100;

/** The chosen release as the page shows it. */
export interface ChosenRelease {
  readonly version: string;
  /** The errors that were first seen in it. Undefined: they could not be counted. */
  readonly newErrorCount: number | undefined;
  /** Undefined: no build recorded it. */
  readonly record: ReleaseRecord | undefined;
  /** The newest of its commits. */
  readonly commits: readonly Commit[];
}

/** Reads the chosen release. */
export async function chosenRelease(
  api: Api,
  asked: { readonly projectId: number; readonly version: string },
): Promise<ChosenRelease> {
  const { projectId, version } = asked;
  const [counted, recorded] = await Promise.all([
    refusedInPlace(api.errors.getErrorCount({ projectId, query: firstReleaseFilter(version) })),
    recordOf(api, asked),
  ]);
  return { version, newErrorCount: counted.answer?.count, record: recorded?.record, commits: recorded?.commits ?? [] };
}

async function recordOf(api: Api, asked: { readonly projectId: number; readonly version: string }) {
  try {
    const [{ releaseRecord: record }, { commits }] = await Promise.all([
      api.releaseRecords.getReleaseRecord(asked),
      api.releaseRecords.listCommits({ ...asked, pageSize: shownCommits }),
    ]);
    return { record, commits };
  } catch (failure) {
    if (refusalOfTrpc(failure).reason === "RELEASE_RECORD_NOT_FOUND") return undefined;
    throw failure;
  }
}
