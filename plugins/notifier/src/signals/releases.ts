import type { ErrorTransition, Host } from "@faultline/plugin";
import { ErrorService, ErrorSort, ErrorStatus, NotificationTrigger } from "@faultline/proto";
import type { Kysely } from "kysely";
import { triggersOf } from "../rule.ts";
import type { RuleRow, Tables } from "../tables.ts";
import type { NewSignal } from "../signal-detail.ts";

/**
 * The first new error of each release, among transitions of projects with rules. A release is stored in the transaction
 * that takes the transitions, so that it is reported once.
 */
export async function releasesWithNewErrors(
  transitions: readonly ErrorTransition[],
  tables: Kysely<Tables>,
): Promise<NewSignal[]> {
  const signals: NewSignal[] = [];
  const seen = new Set<string>();
  for (const { projectId, errorId, kind, release, at } of transitions) {
    if (kind !== "created" || release === "" || seen.has(`${projectId} ${release}`)) continue;
    seen.add(`${projectId} ${release}`);
    const noted = await tables
      .insertInto("notifier_release")
      .values({ project_id: projectId, version: release, seen_at: at })
      .onConflict((conflict) => conflict.doNothing())
      .returning("version")
      .execute();
    if (noted.length === 0) continue;
    signals.push({
      project_id: projectId,
      error_id: errorId,
      notification_trigger: NotificationTrigger.RELEASE,
      status: ErrorStatus.UNRESOLVED,
      happened_at: at,
      detail: { release },
    });
  }
  return signals;
}

const errorsLookedAt = 100;

/** Stores the releases of recently seen errors, so that a new rule does not report an existing release. */
export async function noteReleases(
  { invoke, database, clock }: Host,
  rule: RuleRow,
  signal: AbortSignal | undefined,
): Promise<void> {
  if (!triggersOf(rule).includes(NotificationTrigger.RELEASE)) return;
  const projectId = rule.project_id;
  const asked = { projectId, sort: ErrorSort.LAST_SEEN, pageSize: errorsLookedAt };
  const { errors } = await invoke(ErrorService.method.listErrors, asked, signal).catch(() => ({ errors: [] })); // not set up yet
  const versions = new Set(errors.flatMap(({ firstRelease, lastRelease }) => [firstRelease, lastRelease]));
  versions.delete("");
  if (versions.size === 0) return;
  const seen = { project_id: projectId, seen_at: clock.now() };
  await database
    .write<Tables>()
    .insertInto("notifier_release")
    .values([...versions].map((version) => ({ ...seen, version })))
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}
