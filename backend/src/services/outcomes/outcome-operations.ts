import {
  choice,
  count,
  each,
  hours,
  isoTime,
  list,
  operation,
  periodParam,
  shape,
  single,
  text,
  time,
} from "@faultline/plugin/rest";
import {
  OutcomeKindSchema,
  OutcomeService,
  wordOf,
  words,
  type ListOutcomesResponse,
  type Outcome,
} from "@faultline/proto";

const outcome = shape<Outcome>("Outcome", "A count of things that were not stored.", {
  kind: [
    choice("Where it was lost.", Object.keys(words(OutcomeKindSchema))),
    ({ kind }) => wordOf(OutcomeKindSchema, kind) ?? null,
  ],
  category: [text("What it was, such as `error` or `attachment`."), ({ category }) => category],
  reason: [text("Why, such as `rate_limit`."), ({ reason }) => reason],
  quantity: [count("How many."), ({ quantity }) => Number(quantity)],
  last_at: [time("The hour of the last one."), ({ lastTime }) => isoTime(lastTime)],
});

const outcomes = shape<ListOutcomesResponse>("Outcomes", "What was not stored.", {
  ...hours,
  outcomes: each(outcome, (answer) => answer.outcomes, { maxItems: 200, description: "The most frequent first." }),
  refused_counts: [
    list(count(""), { description: "Refused items in each hour, the oldest first." }),
    ({ refusedPerHour }) => refusedPerHour,
  ],
});

export const listOutcomes = operation(
  OutcomeService.method.listOutcomes,
  "GET /projects/:project/error_tracking/outcomes",
  {
    tag: "Releases",
    summary: "Count what was not stored",
    params: { period: periodParam("24h") },
    answer: single(200, "The counts.", outcomes),
    run: ({ params, invoke }) => invoke({ hourCount: params.period }),
  },
);
