import type { Exception } from "./messages.ts";

/** An exception with how it relates to the one shown before it. The relation of the first is empty. */
export interface ChainLink {
  readonly exception: Exception;
  readonly relation: string;
}

/** The chain in the order shown. `exceptions` come root cause first, as in the schema. */
export function chainLinks(exceptions: readonly Exception[], newestFirst: boolean): ChainLink[] {
  const ordered = newestFirst ? exceptions.toReversed() : exceptions;
  return ordered.map((exception, index) => {
    const before = ordered[index - 1];
    if (before === undefined) return { exception, relation: "" };
    return { exception, relation: newestFirst ? backward(exception) : forward(before) };
  });
}

/** `__context__` is Python's name for an exception that was being handled when the next one was raised. */
const raisedWhileHandling = (older: Exception) => older.mechanism?.source === "__context__";

const backward = (older: Exception) =>
  raisedWhileHandling(older) ? "During handling of this exception, the one above occurred" : "Caused by";

const forward = (older: Exception) =>
  raisedWhileHandling(older)
    ? "During handling of the above exception, another exception occurred"
    : "The above exception was the direct cause of the following exception";
