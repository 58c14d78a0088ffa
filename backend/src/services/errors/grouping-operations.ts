import { bodyOf, operation, paramsOf, single } from "@faultline/plugin/rest";
import {
  ErrorService,
  ExplainGroupingResponseSchema,
  GroupingDifferenceSchema,
  GroupingExplanationSchema,
  GroupingPartSchema,
} from "@faultline/proto";
import { digits, errorInPath, hexDigits } from "./error-operations.ts";

const { method } = ErrorService;

const part = bodyOf(GroupingPartSchema, { countedAs: null });
const parts = { of: part };
const explanation = bodyOf(GroupingExplanationSchema, {
  errorId: { schema: digits },
  eventId: { schema: hexDigits },
  hash: { schema: hexDigits },
  parts,
  errorHashes: { schema: hexDigits },
  note: null,
  hashErrorId: null,
});
const difference = bodyOf(GroupingDifferenceSchema, { onlyHere: parts, onlyThere: parts }, { name: null });
const answer = bodyOf(
  ExplainGroupingResponseSchema,
  {
    explanation: { of: explanation, orNull: true },
    other: { of: explanation, orNull: true },
    difference: { of: difference, orNull: true },
  },
  { name: "ExplainedGrouping", description: "Why an error is one error." },
);

export const explainGrouping = operation(
  method.explainGrouping,
  "GET /projects/:project/error_tracking/errors/:error_id/grouping",
  {
    tag: "Errors",
    summary: "Explain why events are in an error, and what distinguishes it from another",
    path: errorInPath,
    params: paramsOf(method.explainGrouping.input, {
      eventId: { maxLength: 36 },
      otherErrorId: { pattern: "^[1-9]\\d{0,17}$" },
    }),
    answer: single(200, "The parts that counted, those that did not, and why.", answer),
  },
);
