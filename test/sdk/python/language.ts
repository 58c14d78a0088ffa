import type { Language } from "../language.ts";
import { feedbackFeatures } from "../feedback-features.ts";
import type { Expected } from "../report-features.ts";
import { standardFeatures } from "../standard-features.ts";
import { virtualEnvironment } from "./virtual-environment.ts";

function language(version: string, large: Expected["large"], remarks: readonly string[]): Language {
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
    ],
    remarks,
  };
}

export const python = language("1.21.0", { texts: 10, length: 1024 }, [
  "the SDK sends errors to the store endpoint and sessions to the envelope endpoint",
  "of 50 texts of 4,000 characters the SDK sends 10 of 1,024",
]);

export const newestPython = language("2.75.0", { texts: 10, length: 4000 }, ["of 50 texts the SDK sends 10"]);
