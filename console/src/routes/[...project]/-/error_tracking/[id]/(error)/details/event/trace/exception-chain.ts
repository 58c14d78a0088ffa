import type { Exception } from "#lib/messages.ts";

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
    return { exception, relation: newestFirst ? backward(exception, exceptions) : forward(before, exceptions) };
  });
}

/** `__context__` is Python's name for an exception that was being handled when the next one was raised. */
const raisedWhileHandling = (older: Exception) => older.mechanism?.source === "__context__";

/** Whether a group holds it in a list: `exceptions[0]` in Python, `errors[0]` in JavaScript. */
export const isGroupMember = ({ mechanism }: Exception) => /\[\d+\]$/.test(mechanism?.source ?? "");

function groupName({ mechanism }: Exception, all: readonly Exception[]): string {
  const parentId = mechanism?.parentId;
  const parent = all.find((other) => parentId !== undefined && other.mechanism?.exceptionId === parentId);
  return parent?.type || "a group";
}

function backward(older: Exception, all: readonly Exception[]): string {
  if (isGroupMember(older)) return `One of the exceptions in ${groupName(older, all)}`;
  return raisedWhileHandling(older) ? "During handling of this exception, the one above occurred" : "Caused by";
}

function forward(older: Exception, all: readonly Exception[]): string {
  if (isGroupMember(older)) return `The above exception is one of those in ${groupName(older, all)}`;
  return raisedWhileHandling(older)
    ? "During handling of the above exception, another exception occurred"
    : "The above exception was the direct cause of the following exception";
}
