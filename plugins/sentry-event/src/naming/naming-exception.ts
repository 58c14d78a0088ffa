import type { ErrorEvent, GroupingException } from "@faultline/proto";
import { type Fault, faultTree } from "../exceptions/fault-tree.ts";
import { kindsOf } from "../grouping/fault-parts.ts";
import { reachOf, type StackReading } from "../grouping/stack-parts.ts";

/** The exception that names an event, and the group that it stands for. */
export interface Naming {
  readonly exception: GroupingException;
  /** The group whose exceptions are all of this kind. Undefined: it is no member of one. */
  readonly group?: { readonly type: string; readonly count: number };
  /** The types in a group of different kinds, sorted. Empty: it is no such group. */
  readonly types: readonly string[];
}

/** The exception that names an event. Undefined for messages. */
export function namingException({ exceptions, platform }: Pick<ErrorEvent, "exceptions" | "platform">) {
  return namingOf(exceptions, platform)?.exception;
}

/** The exception that was caught; for a group of exceptions of one kind, one of them. Undefined for messages. */
export function namingOf(exceptions: readonly GroupingException[], platform: string): Naming | undefined {
  const [first] = exceptions;
  if (first && exceptions.length === 1) return { exception: first, types: [] }; // as for most events
  const root = faultTree(exceptions);
  if (!root) return undefined;
  const reach = reachOf(exceptions.map(({ frames }) => frames));
  return named(root, { platform, reach, withLine: true, notes: undefined });
}

function named(fault: Fault, reading: StackReading, group?: Naming["group"]): Naming {
  const { exception, members } = fault;
  if (members.length === 0) return { exception, types: [], ...(group && { group }) };
  const kinds = [...kindsOf(fault, reading).values()].map((kind) => kind.fault);
  const [only] = kinds;
  if (only && kinds.length === 1) {
    return named(only, reading, { type: exception.type, count: members.length * (group?.count ?? 1) });
  }
  return { exception, types: [...new Set(kinds.map((kind) => kind.exception.type))].toSorted() };
}
