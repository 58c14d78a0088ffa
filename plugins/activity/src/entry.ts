import type { MessageInitShape } from "@bufbuild/protobuf";
import { timestamp, type ErrorTransition, type ErrorTransitionKind } from "@faultline/plugin";
import { ActivityKind, ErrorStatus, type ActivityEntrySchema } from "@faultline/proto";
import type { Generated } from "kysely";

/** The tables that the plugin reads and writes. */
export interface Tables {
  activity_entry: { id: Generated<number>; project_id: number; error_id: string } & Columns<Entry>;
  project: { id: number };
}

/**
 * The kinds of transitions that become entries: the first event is known from the error, an erased error has none, and the plugin asks
 * for no values.
 */
type EntryKind = Exclude<ErrorTransitionKind, "created" | "erased" | "value">;

/** Something that happened to an error. See ActivityEntry for what absent values mean. */
export interface Entry {
  readonly at: number;
  readonly kind: EntryKind | "created";
  readonly actor: string;
  readonly statusBefore: ErrorStatus;
  readonly status: ErrorStatus;
  readonly release: string;
}

type Columns<Fields extends Entry> = Omit<Fields, "statusBefore"> & { status_before: ErrorStatus };

/** The entry of a transition; none where the transition makes none. */
export function entryOf({ at, kind, by, statusBefore, status, release }: ErrorTransition): Entry | undefined {
  if (kind === "created" || kind === "erased" || kind === "value") return undefined;
  return { at, kind, actor: by, statusBefore: statusBefore ?? ErrorStatus.UNSPECIFIED, status, release };
}

/** The columns of an entry. */
export const rowOf = ({ statusBefore, ...same }: Entry): Columns<Entry> => ({ ...same, status_before: statusBefore });

/** The entry of a row; PostgreSQL's driver may return large numbers as text. */
export function storedEntry({ at, kind, actor, status_before, status, release }: Columns<Entry>): Entry {
  return { at: Number(at), kind, actor, statusBefore: status_before, status, release };
}

const kinds: Readonly<Record<Entry["kind"], ActivityKind>> = {
  created: ActivityKind.CREATED,
  reopened: ActivityKind.REOPENED,
  status: ActivityKind.STATUS_CHANGED,
  deleted: ActivityKind.DELETED,
  restored: ActivityKind.RESTORED,
};

export function entryToProto({ at, kind, ...same }: Entry): MessageInitShape<typeof ActivityEntrySchema> {
  return { kind: kinds[kind], time: timestamp(at), ...same };
}
