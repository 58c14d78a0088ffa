import { bodyOf, hours, operation, paramsOf, periodParam, single } from "@faultline/plugin/rest";
import { ListOutcomesResponseSchema, OutcomeSchema, OutcomeService } from "@faultline/proto";

const { method } = OutcomeService;

const outcomes = bodyOf(
  ListOutcomesResponseSchema,
  { outcomes: { of: bodyOf(OutcomeSchema), maxItems: 200 }, refusedPerHour: "refused_counts", startTime: false },
  { name: "Outcomes", description: "What was not stored.", further: hours },
);

export const listOutcomes = operation(method.listOutcomes, "GET /projects/:project/error_tracking/outcomes", {
  tag: "Releases",
  summary: "Count what was not stored",
  params: paramsOf(method.listOutcomes.input, { hourCount: { as: "period", ...periodParam("24h") } }),
  answer: single(200, "The counts.", outcomes),
});
