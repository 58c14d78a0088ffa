import type { MethodNotes, Rewrite } from "./records.ts";

type Note = Readonly<Record<string, unknown>>;

/** Positions of a call site of an outline. */
const mostPositions = 1_000;

/** Adds a comment to what is known of a method. Others, such as residual signatures, do not help: a stack trace has no signatures. */
export function withNote(notes: MethodNotes | undefined, note: Note): MethodNotes | undefined {
  switch (note["id"]) {
    case "com.android.tools.r8.synthesized":
      return { ...notes, synthesized: true };
    case "com.android.tools.r8.outline":
      return { ...notes, outline: true };
    case "com.android.tools.r8.outlineCallsite":
      return { ...notes, callsites: positionsOf(note["positions"]) };
    case "com.android.tools.r8.rewriteFrame": {
      const rewrite = rewriteOf(note);
      return rewrite ? { ...notes, rewrites: [...(notes?.rewrites ?? []), rewrite] } : notes;
    }
    default:
      return notes;
  }
}

function positionsOf(sent: unknown): Readonly<Record<string, number>> {
  if (typeof sent !== "object" || sent === null) return {};
  const positions = Object.entries(sent).filter(([key, line]) => /^\d+$/.test(key) && Number.isSafeInteger(line));
  return Object.fromEntries(positions.slice(0, mostPositions)) as Record<string, number>;
}

/** One condition and one action are defined (R8's doc/retrace.md, "RewriteFrame"); a rule with others is left alone. */
function rewriteOf({ conditions, actions }: Note): Rewrite | undefined {
  if (!Array.isArray(conditions) || conditions.length !== 1 || !Array.isArray(actions)) return undefined;
  const [, thrown] = /^throws\(L([^;]{1,1000});\)$/.exec(String(conditions[0])) ?? [];
  if (thrown === undefined) return undefined;
  const counts = actions.map((action) => Number(/^removeInnerFrames\((\d{1,4})\)$/.exec(String(action))?.[1]));
  const removed = counts.reduce((sum, count) => sum + count, 0);
  return Number.isNaN(removed) ? undefined : { thrown: thrown.replaceAll("/", "."), removed };
}
