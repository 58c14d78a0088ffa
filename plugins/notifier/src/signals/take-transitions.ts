import type { ErrorTransition, HandleErrorTransitions, TakeNotices } from "@faultline/plugin";
import { ErrorStatus, ErrorSubscription, NotificationLevel, NotificationTrigger } from "@faultline/proto";
import type { Kysely } from "kysely";
import { numberOf } from "../kinds.ts";
import { rowOf, type SignalDetail } from "../signal-detail.ts";
import { releasesWithNewErrors } from "./releases.ts";
import type { Tables } from "../tables.ts";

const triggers: Readonly<Partial<Record<ErrorTransition["kind"], NotificationTrigger>>> = {
  created: NotificationTrigger.CREATED,
  value: NotificationTrigger.CREATED,
  reopened: NotificationTrigger.REOPENED,
  status: NotificationTrigger.STATUS,
};

/**
 * Stores the transitions that rules or people may want, in the transaction that takes them, so that a kill neither
 * loses nor repeats a transition. New and reopened errors concern the members of every project. Status changes are
 * stored only if a rule or a person may ask for them, because one act of a person may make 100,000. A new value of an
 * error is a change of the trigger for new errors: it may be new to a rule, or to people who were not notified of the
 * error at a low level.
 */
export const takeTransitions = (): HandleErrorTransitions => async (transitions, transaction) => {
  const tables = transaction.write<Tables>();
  await forgetErrors(tables, transitions);
  const noted = transitions.filter(({ kind }) => triggers[kind] !== undefined);
  const projectIds = [...new Set(noted.map(({ projectId }) => projectId))];
  if (projectIds.length === 0) return;
  const there = await projectsThere(tables, projectIds);
  const withRules = await projectsWithRules(tables, projectIds);
  const hasStatus = noted.some(({ kind }) => kind === "status");
  const asked = hasStatus ? await projectsWithStatusAskedFor(tables, projectIds) : [];
  const isAskedFor = new Set([...withRules, ...asked]);
  const rows = noted.flatMap(({ projectId, errorId, kind, status, at, by, value }) => {
    const trigger = triggers[kind];
    if (trigger === undefined || !there.has(projectId)) return [];
    if (trigger === NotificationTrigger.STATUS && !isAskedFor.has(projectId)) return [];
    const change = { project_id: projectId, error_id: errorId, notification_trigger: trigger, status };
    const detail = value ? JSON.stringify({ value } satisfies SignalDetail) : "";
    return [{ ...change, happened_at: at, done_at: null, made_by: by, detail }];
  });
  if (rows.length > 0) await tables.insertInto("notifier_signal").values(rows).execute();
  const ofRules = noted.filter(({ projectId }) => withRules.has(projectId));
  const releases = await releasesWithNewErrors(ofRules, tables);
  if (releases.length > 0) await tables.insertInto("notifier_signal").values(releases.map(rowOf)).execute();
};

/** Stores the announcements of plugins, in their transactions. */
export const takeNotices: TakeNotices = async (notices, transaction) => {
  const tables = transaction as unknown as Kysely<Tables>; // the same database
  const there = await projectsThere(tables, [...new Set(notices.map(({ projectId }) => projectId))]);
  const signals = notices.flatMap(({ kind, projectId, errorId, at, actor, text, userIds = [] }) => {
    if (!there.has(projectId)) return [];
    const change = { project_id: projectId, error_id: errorId, notification_trigger: numberOf(kind.kind) };
    const detail: SignalDetail = { notice: { kind, text, userIds } };
    return [{ ...rowOf({ ...change, status: ErrorStatus.UNSPECIFIED, happened_at: at, detail }), made_by: actor }];
  });
  if (signals.length > 0) await tables.insertInto("notifier_signal").values(signals).execute();
};

/** Finds existing projects, because signals refer to their project and it may already be deleted. */
async function projectsThere(tables: Kysely<Tables>, ids: readonly number[]): Promise<ReadonlySet<number>> {
  const rows = await tables.selectFrom("project").select("id").where("id", "in", ids).execute();
  return new Set(rows.map(({ id }) => Number(id)));
}

async function projectsWithRules(tables: Kysely<Tables>, ids: readonly number[]): Promise<ReadonlySet<number>> {
  const rows = await tables
    .selectFrom("notifier_rule")
    .select("project_id")
    .distinct()
    .where("is_enabled", "=", 1)
    .where("project_id", "in", ids)
    .execute();
  return new Set(rows.map((row) => row.project_id));
}

/** The projects in which somebody wants all changes, or watches an error. */
async function projectsWithStatusAskedFor(
  tables: Kysely<Tables>,
  ids: readonly number[],
): Promise<ReadonlySet<number>> {
  const rows = await tables
    .selectFrom("notifier_level")
    .select("project_id")
    .where("level", "=", NotificationLevel.ALL)
    .where("project_id", "in", ids)
    .union(
      tables
        .selectFrom("notifier_subscription")
        .select("project_id")
        .where("subscription", "=", ErrorSubscription.WATCHED)
        .where("project_id", "in", ids),
    )
    .execute();
  return new Set(rows.map((row) => row.project_id));
}

/** Deletes the entries of deleted errors, and what people set for permanently deleted errors. */
export async function forgetErrors(tables: Kysely<Tables>, transitions: readonly ErrorTransition[]): Promise<void> {
  const gone = transitions.filter(({ kind }) => kind === "deleted" || kind === "erased");
  for (const [projectId, of] of Map.groupBy(gone, ({ projectId: id }) => id)) {
    const ids = (some: readonly ErrorTransition[]) => some.map(({ errorId }) => errorId);
    await tables
      .deleteFrom("notifier_inbox")
      .where("project_id", "=", projectId)
      .where("error_id", "in", ids(of))
      .execute();
    const erased = ids(of.filter(({ kind }) => kind === "erased"));
    if (erased.length === 0) continue;
    await tables
      .deleteFrom("notifier_subscription")
      .where("project_id", "=", projectId)
      .where("error_id", "in", erased)
      .execute();
  }
}
