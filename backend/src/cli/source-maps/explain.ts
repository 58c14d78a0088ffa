import { SourceMapVerdictSchema, type Event, type Frame } from "@faultline/proto";

/** What is printed of a frame. */
export interface ExplainedFrame {
  /** The type of its exception, or the name of its thread. */
  readonly of: string;
  readonly function: string;
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly verdict: string;
  readonly cause: string;
  readonly next_step: string;
}

/** The frames of an event whose files are minified JavaScript, each with the reason why its source is shown or not. */
export function explainedFrames({ exceptions, threads }: Event): ExplainedFrame[] {
  return [
    ...exceptions.flatMap(({ type, frames }) => frames.map((frame) => ({ of: type, frame }))),
    ...threads.flatMap(({ name, frames }) => frames.map((frame) => ({ of: name, frame }))),
  ].flatMap(({ of, frame }) => explained(of, frame) ?? []);
}

function explained(of: string, frame: Frame): ExplainedFrame | undefined {
  const { sourceMapping, function: name, filename, absPath, lineno, colno } = frame;
  if (!sourceMapping) return undefined;
  const { verdict, cause, nextStep } = sourceMapping;
  return {
    of,
    function: name,
    file: filename || absPath,
    line: lineno,
    column: colno,
    verdict: SourceMapVerdictSchema.value[verdict]?.localName.toLowerCase() ?? "",
    cause,
    next_step: nextStep,
  };
}
