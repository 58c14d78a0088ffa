import {
  choice,
  count,
  each,
  flag,
  inline,
  list,
  operation,
  orNull,
  partOrNull,
  shape,
  single,
  text,
  textParam,
} from "@faultline/plugin/rest";
import {
  ErrorService,
  GroupingPartKindSchema,
  wordOf,
  words,
  type ExplainGroupingResponse,
  type GroupingDifference,
  type GroupingExplanation,
  type GroupingPart,
} from "@faultline/proto";
import { errorIdText, errorInPath } from "./error-operations.ts";
import { eventId } from "./event-shape.ts";

const groupHash = text("32 lower-case hexadecimal digits.", { pattern: "^[0-9a-f]{32}$" });

const part = shape<GroupingPart>("GroupingPart", "A part of an event that grouping looked at.", {
  kind: [
    choice("What it is.", Object.keys(words(GroupingPartKindSchema))),
    ({ kind }) => wordOf(GroupingPartKindSchema, kind) ?? "",
  ],
  text: [text("The part as it was sent, or as its source map shows it."), (one) => one.text],
  counted: [flag("Whether it counted."), ({ counted }) => counted],
  counted_as: [
    orNull(text("The form in which it counted; null: as `text`, or it did not count.")),
    ({ countedAs }) => countedAs || null,
  ],
  reason: [text("Why it counted or did not, a sentence."), ({ reason }) => reason],
});

const explanation = shape<GroupingExplanation>("GroupingExplanation", "Why an event is in its error.", {
  error_id: [errorIdText, ({ errorId }) => errorId],
  event_id: [eventId, (one) => one.eventId],
  title: [text("The event's own title."), ({ title }) => title],
  hash: [groupHash, ({ hash }) => hash],
  version: [count("The version of the rules by which the hash was computed."), ({ version }) => version],
  parts: each(part, ({ parts }) => parts, {
    description: "The parts in their order: at most 200 that counted and 100 that did not.",
  }),
  other_part_count: [count("Further parts."), ({ otherPartCount }) => otherPartCount],
  error_hashes: [
    list(groupHash, { description: "The hashes whose events are in the error: its own first, at most 100." }),
    ({ errorHashes }) => errorHashes,
  ],
  note: [
    orNull(text("Why the event is in the error although its hash is not in `error_hashes`; null: it is.")),
    ({ note }) => note || null,
  ],
  hash_error_id: [
    orNull(
      text("The error of new events with the same hash, if it is another one; null: it is not, or there is none."),
    ),
    ({ hashErrorId }) => hashErrorId || null,
  ],
});

const difference = inline<GroupingDifference>("What distinguishes the two events; null: nothing is compared.", {
  summary: [text("The result, a sentence."), ({ summary }) => summary],
  only_here: each(part, ({ onlyHere }) => onlyHere, { description: "What counted in this event alone, at most 100." }),
  only_there: each(part, ({ onlyThere }) => onlyThere, {
    description: "What counted in the other event alone, at most 100.",
  }),
});

const answer = shape<ExplainGroupingResponse>("ExplainedGrouping", "Why an error is one error.", {
  explanation: partOrNull(explanation, (response) => response.explanation),
  other: partOrNull(explanation, ({ other }) => other),
  difference: partOrNull(difference, (response) => response.difference),
});

export const explainGrouping = operation(
  ErrorService.method.explainGrouping,
  "GET /projects/:project/error_tracking/errors/:error_id/grouping",
  {
    tag: "Errors",
    summary: "Explain why events are in an error, and what distinguishes it from another",
    path: errorInPath,
    params: {
      event_id: textParam("An event of the error; without it, the newest.", { maxLength: 36 }),
      other_error_id: textParam("Another error of the project to compare with.", { pattern: "^[1-9]\\d{0,17}$" }),
    },
    answer: single(200, "The parts that counted, those that did not, and why.", answer),
    run: ({ path: { error_id: errorId }, params, invoke }) =>
      invoke({ errorId, eventId: params.event_id ?? "", otherErrorId: params.other_error_id ?? "" }),
  },
);
