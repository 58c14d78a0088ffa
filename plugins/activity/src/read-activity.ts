import { type ErrorOfProject, type Host } from "@faultline/plugin";
import { ErrorService } from "@faultline/proto";
import { entryOf, storedEntry, type Entry, type Tables } from "./entry.ts";
import { firstEvent, lastReopening, lastStatus } from "./known-entries.ts";

/**
 * What happened to an error, newest first, at most some 1,100 entries: those that are stored, those of the last second,
 * which are not stored yet, and what the error itself says of the time before. Refuses an error that GetError refuses.
 */
export async function readActivity(
  host: Host,
  of: ErrorOfProject,
  signal: AbortSignal | undefined,
): Promise<{ readonly entries: readonly Entry[]; readonly isExternal: boolean }> {
  const { error } = await host.invoke(ErrorService.method.getError, of, signal);
  if (!error) return { entries: [], isExternal: false };
  // First, as one that is stored between the two reads would be in neither.
  const pending = (await host.pendingTransitions(of)).flatMap((transition) => entryOf(transition) ?? []).toReversed();
  const stored = await storedEntries(host, of);
  const recorded = [...pending.filter((entry) => !stored.some((one) => isSame(one, entry))), ...stored];
  const said = [lastReopening(error), lastStatus(error)].filter((entry) => entry !== undefined);
  const { at: newest } = recorded[0] ?? { at: Infinity };
  const { at: oldest } = recorded.at(-1) ?? { at: Infinity };
  return {
    entries: [
      // An external system does not report its events: only the error says that one reopened it.
      ...said.filter(({ kind, at }) => kind === "reopened" && at > newest),
      ...recorded,
      ...said.filter(({ at }) => at < oldest),
      firstEvent(error),
    ],
    isExternal: error.externalUrl !== "",
  };
}

async function storedEntries({ database }: Host, { projectId, errorId }: ErrorOfProject): Promise<Entry[]> {
  const rows = await database
    .read<Tables>()
    .selectFrom("activity_entry")
    .select(["at", "kind", "actor", "status_before", "status", "release"])
    .where("project_id", "=", projectId)
    .where("error_id", "=", errorId)
    .orderBy("id", "desc")
    .execute();
  return rows.map(storedEntry);
}

const isSame = (one: Entry, other: Entry) =>
  one.at === other.at && one.kind === other.kind && one.status === other.status;
