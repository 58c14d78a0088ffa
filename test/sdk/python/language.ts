import type { Feature } from "../feature.ts";
import { feedbackFeatures } from "../feedback-features.ts";
import { grouped, times } from "../grouping.ts";
import type { Language } from "../language.ts";
import type { Expected } from "../report-features.ts";
import { standardFeatures } from "../standard-features.ts";
import { virtualEnvironment } from "./virtual-environment.ts";

const silent = (of: string) => `TimeoutError: till 0 is silent (${of}in ExceptionGroup)`;

/** Not of the older version, which sends a group without its exceptions. */
const groupingFeatures: readonly Feature[] = [
  grouped("a TaskGroup with one to four failing tasks is one error", "tasks", [
    [1, 2, 3, 4].map((count) => silent(count === 1 ? "" : `${count} times `)),
  ]),
  grouped("a TaskGroup whose tasks fail in two ways is one error, whatever their number", "kinds", [
    times(3, "ExceptionGroup: unhandled errors in a TaskGroup (ConnectionError, TimeoutError)"),
  ]),
  grouped("what except* leaves of a TaskGroup is the error of its tasks", "kept", [times(2, silent(""))]),
  grouped("two lambdas of one module are two errors", "lambdas", [["KeyError: 'bread'"], ["KeyError: 'cheese'"]]),
  grouped("messages with a stack are distinguished by their texts", "messages", [
    ["the door is open"],
    ["the light is on"],
    ["the safe is open since dusk", "the safe is open since noon"],
  ]),
];

function language(
  version: string,
  large: Expected["large"],
  remarks: readonly string[],
  others: readonly Feature[] = [],
): Language {
  return {
    name: "python",
    sdk: "sentry-sdk",
    version,
    ...virtualEnvironment(import.meta.dirname, [`sentry-sdk==${version}`]),
    features: [
      ...standardFeatures(version, {
        types: ["LookupError", "PaymentError"],
        raisedIn: "charge",
        unhandled: { type: "RuntimeError", level: "error", statesHandled: true },
        large,
        sessions: { healthy: 2, errored: 1 },
      }),
      ...feedbackFeatures({ saysWhere: true }),
      ...others,
    ],
    remarks,
  };
}

export const python = language("1.21.0", { texts: 10, length: 1024 }, [
  "the SDK sends errors to the store endpoint and sessions to the envelope endpoint",
  "from 50 texts of 4,000 characters, the SDK sends 10 of 1,024",
]);

export const newestPython = language(
  "2.75.0",
  { texts: 10, length: 4000 },
  ["from 50 texts, the SDK sends 10"],
  groupingFeatures,
);
