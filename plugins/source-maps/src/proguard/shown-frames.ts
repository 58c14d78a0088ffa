import { isLibrary } from "@faultline/sentry-event";
import { SourceMapVerdict as Verdict, type Exception, type Frame, type SourceMapping } from "@faultline/proto";
import { mappingOf } from "../events/mapped-frames.ts";
import { javaVerdicts } from "./java-verdicts.ts";
import type { MappingRecords } from "./look-up-mapping.ts";
import { mayBeObfuscated } from "./obfuscated-names.ts";
import type { ClassRecord } from "./records.ts";
import type { RetracedCall, Retraced } from "./retrace.ts";

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
