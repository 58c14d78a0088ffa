import type { Refusal } from "#lib/handle-error.ts";
import { oneOf } from "#lib/preferences.ts";
import { sortKeys, statusTabs, type SortKey, type StatusTab } from "#lib/route.ts";
import { refusalOfTrpc } from "#lib/server/trpc/procedures.ts";
import type { PageServerLoad } from "./$types";

const pageSize = 50;
const statuses = ["unresolved", "ignored", "resolved", "all"] as const satisfies readonly StatusTab[];
const sorts = ["last_seen", "first_seen", "events"] as const satisfies readonly SortKey[];

/** Refusals that the page shows in the list's place, beside its own controls. */
const shownInPlace = new Set<Refusal["reason"]>([
  "MONITOR_DISABLED",
  "ERROR_TRACKING_DISABLED",
  "SETTINGS_NOT_FOUND",
  "EXTERNAL_SETTINGS_INCOMPLETE",
  "NOT_SUPPORTED_BY_BACKEND",
  "INVALID_FIELD",
  "INVALID_PAGE_TOKEN",
  "STORAGE_UNAVAILABLE",
  "OVERLOADED",
]);

export const load: PageServerLoad = async ({ parent, url, locals }) => {
  const { project } = await parent();
  const status = oneOf(statuses, url.searchParams.get("status"));
  const sort = oneOf(sorts, url.searchParams.get("sort"));
  const q = url.searchParams.get("q")?.trim() ?? "";
  const asked = { status, sort, q, readAt: Date.now() };
  if (!project.monitorEnabled) return { ...asked, list: null, refusal: null };
  try {
    const list = await locals.api.errors.list({
      projectId: project.projectId,
      query: q,
      status: statusTabs[status],
      sort: sortKeys[sort],
      pageSize,
      pageToken: url.searchParams.get("cursor") ?? "",
    });
    return { ...asked, list, refusal: null };
  } catch (error) {
    const refusal = refusalOfTrpc(error);
    if (!shownInPlace.has(refusal.reason)) throw error;
    return { ...asked, list: null, refusal };
  }
};
