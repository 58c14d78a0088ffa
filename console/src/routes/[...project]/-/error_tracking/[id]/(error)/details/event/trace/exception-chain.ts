import type { Exception } from "#lib/messages.ts";

type Mechanism = NonNullable<Exception["mechanism"]>;

/** An exception with the exceptions inside it and its causes. */
export interface ExceptionNode {
  readonly exception: Exception;
  readonly relation: Relation;
  /** The members of a group, and suppressed exceptions. */
  readonly inner: readonly ExceptionNode[];
  readonly causes: readonly ExceptionNode[];
}

/**
 * How an exception relates to the exception above it. `context` means that it was being handled when the other was
 * raised.
 */
type Relation = "top" | "cause" | "context" | "member" | "suppressed";

/** A node of the shown list, with its depth and its relation in words. The first node has no relation. */
export interface ChainLink {
  readonly exception: Exception;
  readonly relation: string;
  readonly depth: number;
}

/**
 * The tree of exceptions in display order: the exceptions inside an exception come before its causes, which have the
 * same level.
 */
export function chainLinks(exceptions: readonly Exception[]): ChainLink[] {
  const top = exceptionTree(exceptions);
  return top === undefined ? [] : linksOf(top, undefined, 0);
}

function linksOf(node: ExceptionNode, parent: ExceptionNode | undefined, depth: number): ChainLink[] {
  return [
    { exception: node.exception, relation: relationWords(node, parent), depth },
    ...node.inner.flatMap((inner) => linksOf(inner, node, depth + 1)),
    ...node.causes.flatMap((cause) => linksOf(cause, node, depth)),
  ];
}

/** How a node relates to its parent, in words. */
export function relationWords({ relation }: ExceptionNode, parent: ExceptionNode | undefined): string {
  switch (relation) {
    case "top":
      return "";
    case "cause":
      return "Caused by";
    case "context":
      return "During handling of this exception, the one above occurred";
    case "member":
      return `One of the exceptions in ${parent?.exception.type || "a group"}`;
    case "suppressed":
      return `Suppressed in ${parent?.exception.type || "the exception above"}`;
  }
}

/** The exceptions of an event as a tree, for any sent ids. `exceptions` come root cause first. */
export function exceptionTree(exceptions: readonly Exception[]): ExceptionNode | undefined {
  const parents = parentsOf(exceptions);
  const nodeAt = (index: number, exception: Exception): ExceptionNode => {
    const children = exceptions.flatMap((child, at) => (parents[at] === index ? [nodeAt(at, child)] : [])).toReversed();
    const isInner = ({ relation }: ExceptionNode) => relation === "member" || relation === "suppressed";
    return {
      exception,
      relation: parents[index] === undefined ? "top" : relationOf(exception),
      inner: children.filter(isInner),
      causes: children.filter((child) => !isInner(child)),
    };
  };
  const top = parents.lastIndexOf(undefined);
  const exception = exceptions[top];
  return exception && nodeAt(top, exception);
}

function relationOf({ mechanism }: Exception): Relation {
  const source = mechanism?.source ?? "";
  if (mechanism?.type === "suppressed" || source.startsWith("suppressed")) return "suppressed";
  if (/\[\d+\]$/.test(source)) return "member"; // `exceptions[0]` in Python, `errors[0]` in JavaScript
  return source === "__context__" ? "context" : "cause";
}

/**
 * The index of each exception's parent; the top exception has none. Exceptions without a named parent are a plain
 * chain.
 */
function parentsOf(exceptions: readonly Exception[]): (number | undefined)[] {
  const indices = new Map(exceptions.map(({ mechanism }, index) => [mechanism?.exceptionId, index]));
  const mechanismOf = (id: number) => exceptions[indices.get(id) ?? -1]?.mechanism;
  const parents = exceptions.map(({ mechanism }) => {
    const id = mechanism && namedParent(mechanism, mechanismOf);
    return id === undefined ? undefined : indices.get(id);
  });
  const sound = parents.map((parent, index) => (endsFrom(parents, index) ? parent : undefined));
  const roots = sound.flatMap((parent, index) => (parent === undefined ? [index] : []));
  return sound.map((parent, index) => parent ?? roots[roots.indexOf(index) + 1]);
}

/** Whether the way up from an exception ends instead of leading around in a circle. */
function endsFrom(parents: readonly (number | undefined)[], start: number): boolean {
  let at: number | undefined = start;
  for (let steps = 0; steps <= parents.length && at !== undefined; steps += 1) at = parents[at];
  return at === undefined;
}

/**
 * The id of the parent. Two SDKs name a different exception. Python's SDK gives 0 for each cause, and numbers a cause
 * right after the exception that it led to. For each suppressed exception but the first, Java's SDK names the
 * previously numbered exception. So a suppressed exception below a suppressed exception counts as its sibling, because
 * a `try` with several resources has siblings.
 */
function namedParent(
  { exceptionId = 0, parentId, source, type }: Mechanism,
  mechanismOf: (id: number) => Mechanism | undefined,
): number | undefined {
  if (parentId === 0 && source.startsWith("__")) return exceptionId - 1;
  if (type !== "suppressed" || parentId !== exceptionId - 1) return parentId;
  const sister = suppressedFrom(parentId, mechanismOf);
  return sister ? namedParent(sister, mechanismOf) : parentId;
}

/** The nearest suppressed exception on the way up, while ids decrease. */
function suppressedFrom(start: number, mechanismOf: (id: number) => Mechanism | undefined): Mechanism | undefined {
  for (let id = start, above = mechanismOf(id); above; above = mechanismOf(id)) {
    if (above.type === "suppressed") return above;
    if (above.parentId === undefined || above.parentId >= id) return undefined;
    id = above.parentId;
  }
  return undefined;
}
