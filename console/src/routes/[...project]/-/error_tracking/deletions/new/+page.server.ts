import { error, fail, redirect } from "@sveltejs/kit";
import type { CreateDeletionRequestJson } from "@faultline/proto";
import { refusal } from "#lib/failures/refusal.server.ts";
import { tabs, wordsOf } from "#lib/errors/list-choices.ts";
import { actionOrDown } from "#lib/server/action.ts";
import { route, type DeletionTarget } from "#lib/navigation/route.ts";
import { oneOf } from "#lib/preferences/preferences.ts";
import type { Actions, PageServerLoad } from "./$types";

/** The errors that an address or a form asks to delete. */
function readTarget(given: { get(name: string): unknown }): DeletionTarget {
  const text = (name: string) => String(given.get(name) ?? "").trim();
  const errors = text("errors")
    .split(",")
    .filter((id) => id !== "");
  return { errors, q: text("q"), status: oneOf(wordsOf(tabs), text("status")) };
}

/** An invalid typed field. */
interface Mistyped {
  readonly field: "expected_count" | "until" | "after" | "release";
  readonly message: string;
}

/** The request that a form asks for. */
function readDeletionForm(form: FormData): Omit<CreateDeletionRequestJson, "projectId"> | Mistyped {
  const target = readTarget(form);
  const discard = readDiscard(form);
  if (discard !== undefined && "message" in discard) return discard;
  const rest = { withoutUndo: form.get("undo") === "no", ...(discard && { discard }) };
  if (target.errors.length > 0) return { errors: { errorIds: [...target.errors] }, ...rest };
  const expectedCount = wholeNumber(form.get("expected_count"));
  if (expectedCount === undefined) {
    return { field: "expected_count", message: "Enter how many errors you expect to delete, such as 120." };
  }
  return { matching: { query: target.q, status: tabs[target.status].status, expectedCount }, ...rest };
}

function readDiscard(form: FormData): NonNullable<CreateDeletionRequestJson["discard"]> | Mistyped | undefined {
  switch (form.get("later")) {
    case "discard":
      return {};
    case "until": {
      const at = Date.parse(`${String(form.get("until") ?? "")}T00:00Z`);
      if (Number.isNaN(at)) return { field: "until", message: "Choose the day on which the discard ends." };
      return { time: new Date(at).toISOString() };
    }
    case "after": {
      const eventCount = wholeNumber(form.get("after"));
      return eventCount ? { eventCount } : { field: "after", message: "Enter a number of events, 1 or more." };
    }
    case "release": {
      const release = String(form.get("release") ?? "").trim();
      return release ? { release } : { field: "release", message: "Name the release, such as web@2.4.1." };
    }
    default:
      return undefined;
  }
}

function wholeNumber(value: FormDataEntryValue | null): number | undefined {
  const text = String(value ?? "").replace(/[,\s]/g, "");
  return /^[1-9]\d{0,8}$/.test(text) ? Number(text) : undefined;
}

export const load: PageServerLoad = async ({ parent, url, locals: { api } }) => {
  const { project } = await parent();
  const may = project.capabilities?.deleteErrors;
  if (may?.allowed === false) {
    const { status, message, reason } = refusal("FORBIDDEN", may.reason);
    error(status, message, { reason });
  }
  const { projectId } = project;
  const target = readTarget(url.searchParams);
  const [only] = target.errors;
  if (target.errors.length === 1 && only !== undefined) {
    const { error: named } = await api.errors.getError({ projectId, errorId: only });
    return { target, title: named?.title ?? "", count: 1, isAtLeast: false };
  }
  if (target.errors.length > 0) return { target, title: "", count: target.errors.length, isAtLeast: false };
  const asked = { projectId, query: target.q, status: tabs[target.status].status, pageSize: 1 };
  const { statusCounts } = await api.errors.listErrors(asked);
  const { unresolved = 0, resolved = 0, ignored = 0 } = statusCounts ?? {};
  const counts = { unresolved, resolved, ignored };
  const counted = target.status === "all" ? Object.values(counts) : [counts[target.status]];
  return {
    target,
    title: "",
    count: counted.reduce((sum, one) => sum + one, 0),
    isAtLeast: counted.some((one) => one >= 1000),
  };
};

export const actions: Actions = {
  default: async ({ request, locals: { api }, params }) => {
    const asked = readDeletionForm(await request.formData());
    if ("message" in asked) return fail(400, asked);
    const run = async () => {
      const { deletion } = await api.deletions.createDeletion({ projectPath: params.project, ...asked });
      const made = deletion?.undoEndTime === undefined ? undefined : deletion.deletionId;
      redirect(303, route.deletions(params.project, { made }));
    };
    return actionOrDown(run, { field: "" });
  },
};
