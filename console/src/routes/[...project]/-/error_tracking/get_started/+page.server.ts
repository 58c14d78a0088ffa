import { sum } from "#lib/charts/chart-scale.ts";
import type { Reason } from "#lib/failures/refusal.server.ts";
import { oneOf } from "#lib/preferences/preferences.ts";
import { quantityOf } from "#lib/ingestion/refused-summary.ts";
import { refusalOfTrpc } from "#lib/server/trpc/procedures.ts";
import { withDsn } from "./snippet-form.ts";
import { languages } from "./snippets.ts";
import type { PageServerLoad } from "./$types";

const keys = ["node", ...languages.map(({ key }) => key).filter((key) => key !== "node")] as const;

const inactiveReasons = new Set<Reason>(["ERROR_TRACKING_DISABLED", "SETTINGS_NOT_FOUND"]);
/** Refusals of the whole page. */
const thrown = new Set<Reason>(["FORBIDDEN", "MONITOR_DISABLED"]);
/**
 * Replaces the DSN in the snippets for people who may not see client keys. It has the form of a DSN, so that it is
 * recognized.
 */
const placeholder = "https://<key>@<host>/";

export const load: PageServerLoad = async ({ parent, url, locals }) => {
  const { project } = await parent();
  const asked = { projectId: project.projectId };
  const readAt = Date.now();
  const [keyList, list, outcomes] = await Promise.all([
    project.capabilities?.clientKeys?.allowed === false
      ? null
      : answerOrReason(locals.api.clientKeys.listClientKeys({ ...asked, pageSize: 100 })),
    answerOrReason(locals.api.errors.listErrors({ ...asked, pageSize: 100 })),
    answerOrReason(locals.api.outcomes.listOutcomes({ ...asked, hourCount: 24 })),
  ]);
  const key = keyList?.answer?.clientKeys.at(-1);
  const errors = list.answer?.errors ?? [];
  const inactive = list.reason !== null && inactiveReasons.has(list.reason);
  const mayKeys = project.capabilities?.adminErrorTracking?.allowed === true;
  const offered = project.capabilities?.integratedBackend?.allowed !== false;
  const refused = outcomes.answer?.outcomes.filter(({ kind }) => kind === "OUTCOME_KIND_REFUSED") ?? [];
  const dsn = mayKeys ? (key?.dsn ?? "") : offered ? placeholder + project.projectId : "";
  const chosen = oneOf(keys, url.searchParams.get("lang"));
  return {
    /** The lines of only one language, because all languages weigh more than the rest of the page. */
    language: withDsn(languages.find((one) => one.key === chosen) ?? languages[0], dsn),
    languages: languages.map((one) => ({ key: one.key, name: one.name })),
    dsn,
    /** The reason for the missing DSN: a reason for everybody comes before the caller's role. */
    noDsn: (offered || mayKeys ? project.capabilities?.clientKeys : project.capabilities?.integratedBackend)?.reason,
    keyId: key?.keyId ?? 0,
    listed: list.answer !== null,
    inactive,
    /** Errors are stored elsewhere, so SDKs send there. */
    external: !inactive && project.capabilities?.retentionDays === 0,
    /** Why there is no list, if the external system returns none. */
    failure: inactive ? "" : list.message,
    stale: { staleSinceTime: list.answer?.staleSinceTime },
    newest: errors[0] ?? null,
    // An external system may not count its errors.
    errorCount: Math.max(errors.length, sum(Object.values(list.answer?.statusCounts ?? {}))),
    /** The counts of the 24 hours before readAt. */
    arrived: {
      readAt,
      received: sum(errors.map(({ hourlyCounts }) => sum(hourlyCounts))),
      refused: quantityOf(refused),
      /** The events of each listed error. */
      eventCounts: errors.map(({ errorId, eventCount }) => [errorId, eventCount] as const),
      /** Whether there are errors beyond the list. */
      more: (list.answer?.nextPageToken ?? "") !== "",
    },
  };
};

/** The page names the missing part: without keys there is no DSN, without errors it waits for the first error. */
async function answerOrReason<T>(
  call: Promise<T>,
): Promise<{ answer: T | null; reason: Reason | null; message: string }> {
  try {
    return { answer: await call, reason: null, message: "" };
  } catch (error) {
    const { status, reason, message } = refusalOfTrpc(error);
    if (thrown.has(reason) || (status >= 500 && reason !== "NOT_SUPPORTED_BY_BACKEND")) throw error;
    return { answer: null, reason, message };
  }
}
