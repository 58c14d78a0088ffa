import type { MessageInitShape } from "@bufbuild/protobuf";
import type { Generated } from "kysely";
import {
  pageSizeOf,
  pageToken,
  readPageToken,
  serve,
  type ErrorOfProject,
  type PluginActivity,
  type Host,
  millisecondsOf,
  timestamp,
  type ErrorTransition,
  type ErrorTransitionKind,
} from "@faultline/plugin";
import {
  ActivityService,
  ErrorService,
  ErrorStatus,
  type Error as TrackedError,
  ActivityKind,
  type ActivityEntrySchema,
} from "@faultline/proto";

/** The tables that the plugin reads and writes. */
export interface Tables {
  activity_entry: { id: Generated<number>; project_id: number; error_id: string } & Columns<Entry>;
  project: { id: number };
}

/**
 * The kinds of transitions that become entries. The error itself says when its first event came, an erased error has no
 * entries, and the plugin asks for no values.
 */
type EntryKind = Exclude<ErrorTransitionKind, "created" | "erased" | "value">;

/** Something that happened to an error. ActivityEntry says what undefined values mean. */
interface Entry {
  readonly at: number;
  readonly kind: EntryKind | "created" | "other";
  readonly actor: string;
  readonly statusBefore: ErrorStatus;
  readonly status: ErrorStatus;
  readonly release: string;
  /** Only set on entries that another plugin adds; they are not stored here. */
  readonly text?: string;
}

type Columns<Fields extends Entry> = Omit<Fields, "statusBefore" | "text"> & { status_before: ErrorStatus };

/** The entry of a transition, or no entry for kinds that make none. */
export function entryOf({ at, kind, by, statusBefore, status, release }: ErrorTransition): Entry | undefined {
  if (kind === "created" || kind === "erased" || kind === "value") return undefined;
  return { at, kind, actor: by, statusBefore: statusBefore ?? ErrorStatus.UNSPECIFIED, status, release };
}

export const rowOf = ({ statusBefore, ...same }: Entry): Columns<Entry> => ({ ...same, status_before: statusBefore });

/** The entry of a row; PostgreSQL's driver may return large numbers as text. */
function storedEntry({ at, kind, actor, status_before, status, release }: Columns<Entry>): Entry {
  return { at: Number(at), kind, actor, statusBefore: status_before, status, release };
}

const kinds: Readonly<Record<Entry["kind"], ActivityKind>> = {
  created: ActivityKind.CREATED,
  reopened: ActivityKind.REOPENED,
  status: ActivityKind.STATUS_CHANGED,
  deleted: ActivityKind.DELETED,
  restored: ActivityKind.RESTORED,
  other: ActivityKind.OTHER,
};

function entryToProto({ at, kind, ...same }: Entry): MessageInitShape<typeof ActivityEntrySchema> {
  return { kind: kinds[kind], time: timestamp(at), ...same };
}

/**
 * What happened to an error, newest first: at most about 1,100 entries, plus the entries of other plugins. Combines the
 * stored entries, the entries of the last second that are not stored yet, and the error's own facts about the time
 * before. Refuses an error that GetError refuses.
 */
async function readActivity(
  host: Host,
  of: ErrorOfProject,
  signal: AbortSignal | undefined,
): Promise<{ readonly entries: readonly Entry[]; readonly isExternal: boolean }> {
  const { error } = await host.invoke(ErrorService.method.getError, of, signal);
  if (!error) return { entries: [], isExternal: false };
  // Read first: an entry that is stored between the two reads would be in neither.
  const pending = (await host.pendingTransitions(of)).flatMap((transition) => entryOf(transition) ?? []).toReversed();
  const [stored, added] = await Promise.all([storedEntries(host, of), host.pluginActivity(of)]);
  const recorded = [...pending.filter((entry) => !stored.some((one) => isSame(one, entry))), ...stored];
  const said = [lastReopening(error), lastStatus(error)].filter((entry) => entry !== undefined);
  const { at: newest } = recorded[0] ?? { at: Infinity };
  const { at: oldest } = recorded.at(-1) ?? { at: Infinity };
  // An external system does not report its events, so only the error says that an event reopened it.
  const reopenings = said.filter(({ kind, at }) => kind === "reopened" && at > newest);
  return {
    entries: withAdded(added, [...reopenings, ...recorded, ...said.filter(({ at }) => at < oldest)], firstEvent(error)),
    isExternal: error.externalUrl !== "",
  };
}

/**
 * Merges in the entries of plugins, ordered by time. The first event stays the last entry because its time comes from
 * the clock of a device. An added entry shows the status that the error had then.
 */
function withAdded(added: readonly PluginActivity[], entries: readonly Entry[], first: Entry): readonly Entry[] {
  const left = added.toSorted((one, other) => other.at - one.at);
  const before = ({ status }: Entry, end: number) =>
    left.splice(0, end).map((other): Entry => ({ ...bare, ...other, kind: "other", status }));
  return [
    ...entries.flatMap((entry) => [...before(entry, left.filter(({ at }) => at >= entry.at).length), entry]),
    ...before(first, left.length),
    first,
  ];
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

const { UNSPECIFIED, UNRESOLVED, RESOLVED } = ErrorStatus;

const bare = { actor: "", statusBefore: UNSPECIFIED, release: "" } as const;

function firstEvent({ firstSeenTime, firstRelease }: TrackedError): Entry {
  return { ...bare, kind: "created", at: timeOf(firstSeenTime) ?? 0, status: UNRESOLVED, release: firstRelease };
}

/** When an event reopened the error, according to the error itself; undefined if no event did. */
function lastReopening({ reopenedTime }: TrackedError): Entry | undefined {
  const at = timeOf(reopenedTime);
  return at === undefined ? undefined : { ...bare, kind: "reopened", at, statusBefore: RESOLVED, status: UNRESOLVED };
}

/** The last change by a person, according to the error itself. Since then only an event can have reopened it. */
function lastStatus({ statusChangedTime, reopenedTime, status }: TrackedError): Entry | undefined {
  const at = timeOf(statusChangedTime);
  return at === undefined ? undefined : { ...bare, kind: "status", at, status: reopenedTime ? RESOLVED : status };
}

const timeOf = (time: TrackedError["firstSeenTime"]) => time && millisecondsOf(time);

/** Lists the activity of an error. A page token counts the remaining entries because new entries are added in front. */
export const activityService = serve(ActivityService, (host) => ({
  async listErrorActivity(request, { grant, signal }) {
    const { errorId } = request;
    const projectId = grant.project.id;
    const list = `activity ${projectId} ${errorId}`;
    const [left] = readPageToken(list, request.pageToken, ["number"]) ?? [Infinity];
    const { entries, isExternal } = await readActivity(host, { projectId, errorId }, signal);
    const start = Math.max(entries.length - left, 0);
    const end = start + pageSizeOf(request);
    return {
      entries: entries.slice(start, end).map(entryToProto),
      nextPageToken: end < entries.length ? pageToken(list, [entries.length - end]) : "",
      ownChangesOnly: isExternal,
    };
  },
}));
