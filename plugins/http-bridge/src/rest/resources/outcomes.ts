import { create } from "@bufbuild/protobuf";
import { ListOutcomesRequestSchema, OutcomeKind, type ListOutcomesResponse, type Outcome } from "@faultline/proto";
import { isoTime } from "../iso-time.ts";
import { projectOf } from "../named-project.ts";
import { hoursOf } from "../period.ts";
import type { Operation } from "../rest.ts";

/** What was not stored in a `period`, a day unless given; the most frequent first. */
export const listOutcomes: Operation = async (restCall) => {
  const { visit, call, params } = restCall;
  const hourCount = hoursOf(params, "24h");
  const request = create(ListOutcomesRequestSchema, { projectId: projectOf(restCall).projectId, hourCount });
  const answer = (await visit.host.core.outcomes.listOutcomes(request, call)) as ListOutcomesResponse;
  return {
    status: 200,
    body: {
      start: isoTime(answer.startTime),
      interval: "1h",
      outcomes: answer.outcomes.map(outcomeBody),
      refused_counts: answer.refusedPerHour,
    },
  };
};

const kinds: Readonly<Record<OutcomeKind, string | null>> = {
  [OutcomeKind.UNSPECIFIED]: null,
  [OutcomeKind.REFUSED]: "refused",
  [OutcomeKind.LEFT_ASIDE]: "left_aside",
  [OutcomeKind.NOT_SENT]: "not_sent",
  [OutcomeKind.FILTERED]: "filtered",
};

function outcomeBody({ kind, category, reason, quantity, lastTime }: Outcome): object {
  return { kind: kinds[kind], category, reason, quantity: Number(quantity), last_at: isoTime(lastTime) };
}
