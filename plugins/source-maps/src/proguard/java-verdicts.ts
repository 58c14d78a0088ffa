import { SourceMapVerdict as Verdict } from "@faultline/proto";
import { mebibyte, readAtMost } from "../events/event-budget.ts";
import type { Uploads } from "../events/uploads-of.ts";
import { verdicts, whyAbsent, type Unmapped } from "../events/verdicts.ts";
import type { Doubt } from "./ranges-at.ts";

const upload = "sentry-cli upload-proguard --uuid <the id of the application> mapping.txt";

/** Why frames of Java and Kotlin are not mapped, or only in part, in the words that people read. */
export const javaVerdicts = {
  noId: (): Unmapped => ({
    verdict: Verdict.NOT_INJECTED,
    cause: "The event names no mapping, and its class has a name from ProGuard or R8.",
    nextStep:
      "Let Sentry's Gradle plugin write the id into the application, or set io.sentry.ProguardUuids in sentry-debug-meta.properties.",
  }),
  unknown: (ids: readonly string[], { arePending, failure }: Uploads): Unmapped => {
    if (arePending) return verdicts.pending();
    if (failure !== undefined) return verdicts.bundleError(failure);
    return {
      verdict: Verdict.ID_UNKNOWN,
      cause: `The event names the mapping ${ids.join(", ")}, which this project does not have: ${whyAbsent}.`,
      nextStep: `Upload the mapping of exactly this build: ${upload}.`,
    };
  },
  beyondBudget: (): Unmapped => ({
    verdict: Verdict.BEYOND_LIMIT,
    cause: `The classes of this event come from more than ${readAtMost.mappings / mebibyte} MiB of the mapping, the limit for one event, so this frame is shown as sent.`,
    nextStep: "Look this frame up in the mapping of the build with R8's retrace.",
  }),
  storageLost: (): Unmapped => ({
    verdict: Verdict.STORAGE_LOST,
    cause: "The stored mapping could not be read. This is a fault of Faultline's storage.",
    nextStep: "Upload the mapping again, and show this to the administrator.",
  }),
  inDoubt: (doubt: Doubt, line: number): Unmapped => {
    if (line === 0) {
      return {
        verdict: Verdict.INVALID_LOCATION,
        cause:
          doubt === "ambiguous"
            ? "The event has no line for this frame, and several methods of the class have its name."
            : "The event has no line for this frame: the mapping gives only the names.",
        nextStep: "Keep the lines in the build: -keepattributes SourceFile,LineNumberTable.",
      };
    }
    return {
      verdict: Verdict.POSITION_OUTSIDE,
      cause: `The mapping has nothing for line ${line} of this method: the application is from another build.`,
      nextStep: "Upload the mapping of exactly this build, under the id of the application.",
    };
  },
};
