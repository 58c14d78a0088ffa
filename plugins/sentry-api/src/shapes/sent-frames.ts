import type { Frame } from "@faultline/proto";

/** The frames of a stack as they were sent, where some of them are mapped; undefined: none is. */
export function sentFrames(frames: readonly Frame[]): Frame[] | undefined {
  if (!frames.some(({ sourceMapping }) => sourceMapping?.minified)) return undefined;
  return frames.flatMap((frame) => {
    const { minified, inlined } = frame.sourceMapping ?? {};
    if (inlined) return [];
    if (!minified) return [frame];
    const { filename, absPath, function: name, lineno, colno, contextLine, module } = minified;
    const sent = { filename, absPath, function: name, lineno, colno, contextLine, module };
    return [{ ...frame, ...sent, preContext: [], postContext: [] }];
  });
}
