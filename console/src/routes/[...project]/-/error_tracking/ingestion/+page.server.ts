import type { Outcome, OutcomeKind } from "#lib/messages.ts";
import { categoryName, outcomeWords } from "#lib/ingestion/outcome-words.ts";
import { periodHours, periods } from "#lib/charts/period.ts";
import { oneOf } from "#lib/preferences/preferences.ts";
import { quantityOf } from "#lib/ingestion/refused-summary.ts";
import { refusedInPlace } from "#lib/server/refused-in-place.ts";
import { actionOrDown } from "#lib/server/action.ts";
import type { Actions, PageServerLoad } from "./$types";

const groups = [
  {
    kind: "OUTCOME_KIND_REFUSED",
    id: "refused",
    name: "Refused",
    meaning: "Faultline refused it and sent the reason to the SDK.",
    none: "Nothing was refused.",
  },
  {
    kind: "OUTCOME_KIND_FILTERED",
    id: "filtered",
    name: "Filtered",
    meaning: "A setting of this project filtered it. The sender got a 200.",
    none: "Nothing was filtered.",
  },
  {
    kind: "OUTCOME_KIND_LEFT_ASIDE",
    id: "left-aside",
    name: "Not kept",
    meaning: "Received, but Faultline doesn't store this type.",
    none: "Everything that arrived was kept.",
  },
  {
    kind: "OUTCOME_KIND_NOT_SENT",
    id: "not-sent",
    name: "Not sent by the SDK",
    meaning: "The SDK dropped it in the application and reported that later.",
    none: "No SDK reported dropped events.",
  },
] as const satisfies { kind: OutcomeKind; id: string; name: string; meaning: string; none: string }[];

export const load: PageServerLoad = async ({ parent, url, locals }) => {
  const { project } = await parent();
  const period = oneOf(periods, url.searchParams.get("period"));
  const { projectId } = project;
  const [{ answer, refusal }, unstored] = await Promise.all([
    refusedInPlace(locals.api.outcomes.listOutcomes({ projectId, hourCount: periodHours[period] })),
    refusedInPlace(locals.api.ingest.listUnstoredEvents({ projectId })),
  ]);
  const notStored = {
    unstoredEvents: unstored.answer?.unstoredEvents ?? [],
    unstoredCount: Number(unstored.answer?.totalCount ?? 0),
    deadLettersMissing: unstored.answer?.deadLettersMissing ?? false,
  };
  if (answer === null) return { ...notStored, period, refusal, chart: null, groups: [] };
  const { outcomes, refusedPerHour, startTime } = answer;
  return {
    period,
    refusal,
    ...notStored,
    chart: { hours: refusedPerHour, startTime },
    groups: groups.map(({ kind, ...group }) => {
      const own = outcomes.filter((outcome) => outcome.kind === kind);
      return { ...group, total: quantityOf(own), rows: own.map((outcome) => inWords(outcome, project.path)) };
    }),
  };
};

function inWords(outcome: Outcome, projectPath: string) {
  const { reason, advice, setting } = outcomeWords(outcome);
  return {
    category: categoryName(outcome.category),
    reason,
    advice,
    ...(setting && { setting: { name: setting.name, href: setting.address(projectPath) } }),
    quantity: Number(outcome.quantity),
    lastTime: outcome.lastTime,
  };
}

export const actions: Actions = {
  replay: async ({ locals, params }) => {
    return actionOrDown(
      async () => {
        const done = await locals.api.ingest.replayUnstoredEvents({ projectPath: params.project });
        const { storedCount: stored, failedCount: failed, acceptedCount: accepted, leftCount } = done;
        return { act: "replay" as const, stored, failed, accepted, left: Number(leftCount) };
      },
      { act: "refused" as const },
    );
  },
  delete: async ({ locals, params }) => {
    return actionOrDown(
      async () => {
        const { deletedCount } = await locals.api.ingest.deleteUnstoredEvents({ projectPath: params.project });
        return { act: "delete" as const, deleted: deletedCount };
      },
      { act: "refused" as const },
    );
  },
};
