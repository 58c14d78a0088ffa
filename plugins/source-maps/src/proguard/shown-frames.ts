import { isLibrary } from "@faultline/sentry-event";
import { SourceMapVerdict as Verdict, type Exception, type Frame, type SourceMapping } from "@faultline/proto";
import { mappingOf } from "../events/mapped-frames.ts";
import type { MappingRecords } from "./look-up-mapping.ts";
import { mayBeObfuscated, type RetracedCall, type Retraced, type Doubt } from "./retrace.ts";
import type { ClassRecord } from "./read-mapping.ts";
import { mebibyte, readAtMost } from "../events/reading.ts";
import type { Uploads } from "../events/artifacts.ts";
import { verdicts, whyAbsent, type Unmapped } from "../events/verdicts.ts";

/**
 * The frames of a stack as they are shown: each that the mapping knows as the calls that were inlined into it, the oldest first; those
 * of classes beyond the budget with the reason.
 */
export function shownFrames(
  frames: readonly Frame[],
  retraced: readonly (Retraced | undefined)[],
  { bundleId, isBeyondBudget }: Pick<MappingRecords, "isBeyondBudget"> & { readonly bundleId: number },
): Frame[] {
  return frames.flatMap((frame, at) => {
    const found = retraced[at];
    if (found) return framesOf(frame, found, bundleId);
    const isLeft = mayBeObfuscated(frame) && isBeyondBudget(frame.module);
    return [isLeft ? { ...frame, sourceMapping: mappingOf(javaVerdicts.beyondBudget()) } : frame];
  });
}

function framesOf(frame: Frame, { calls, doubt }: Retraced, bundleId: number): Frame[] {
  if (doubt === undefined && calls.length === 1 && calls.every((call) => isSame(frame, call))) return [frame];
  const result =
    doubt === undefined
      ? { verdict: Verdict.MAPPED, cause: "", nextStep: "" }
      : javaVerdicts.inDoubt(doubt, frame.lineno);
  return calls.map((call, at) => {
    const isInlined = at > 0;
    const sourceMapping: SourceMapping = {
      $typeName: "faultline.v1.SourceMapping",
      ...result,
      bundleId,
      inlined: isInlined,
      ...(!isInlined && { minified: asSent(frame) }),
    };
    return { ...shownCall(frame, call), sourceMapping };
  });
}

const isSame = (frame: Frame, call: RetracedCall) =>
  frame.module === call.module &&
  frame.function === call.function &&
  frame.lineno === call.lineno &&
  frame.filename === call.filename;

function shownCall(frame: Frame, { module, function: name, filename, lineno, isSynthesized }: RetracedCall): Frame {
  const place = { platform: "java", path: filename, module, function: name, package: frame.package };
  return {
    ...frame,
    module,
    function: name,
    filename,
    absPath: frame.absPath === frame.filename ? filename : frame.absPath,
    lineno,
    inApp: frame.inApp && !isSynthesized && !isLibrary(place, false),
    preContext: [],
    contextLine: "",
    postContext: [],
  };
}

const asSent = ({ filename, absPath, function: name, lineno, colno, contextLine, module }: Frame) => ({
  $typeName: "faultline.v1.MinifiedFrame" as const,
  filename,
  absPath,
  function: name,
  lineno,
  colno,
  contextLine,
  module,
});

/** An exception with the type that it has in the source; the SDK for Java sends the package as `module`. */
export function shownType(exception: Exception, found: ClassRecord | undefined): Exception {
  if (!found) return exception;
  const dot = found.name.lastIndexOf(".");
  const module = found.name.slice(0, Math.max(dot, 0));
  const type = found.name.slice(dot + 1);
  if (type === exception.type && module === exception.module) return exception;
  const obfuscated = {
    $typeName: "faultline.v1.ObfuscatedType",
    type: exception.type,
    module: exception.module,
  } as const;
  return { ...exception, type, module, obfuscated };
}

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
