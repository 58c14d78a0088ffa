import { ExceptionRole, type GroupingException } from "@faultline/proto";

/** An exception with those below it. */
export interface Fault {
  readonly exception: GroupingException;
  /** What caused it; mostly one. */
  readonly causes: readonly Fault[];
  /** The exceptions of a group. */
  readonly members: readonly Fault[];
}

/**
 * The exceptions of an event as a tree, by the ids that SDKs give them, otherwise as a chain with the root cause first.
 * Suppressed and diagnostic exceptions are left out, with those below them. Undefined for messages.
 */
export function faultTree(exceptions: readonly GroupingException[]): Fault | undefined {
  const kept = exceptions.filter(({ role }) => role !== ExceptionRole.ASIDE);
  const shown = kept.length > 0 ? kept : exceptions;
  return withoutRecovery(byIds(shown) ?? asChain(shown));
}

/** The exception that names an event: the one that was caught. */
export function mainException(exceptions: readonly GroupingException[]): GroupingException | undefined {
  return exceptions.length > 1 ? faultTree(exceptions)?.exception : exceptions[0];
}

function asChain(exceptions: readonly GroupingException[]): Fault | undefined {
  let fault: Fault | undefined;
  for (const exception of exceptions) fault = { exception, causes: fault ? [fault] : [], members: [] };
  return fault;
}

function byIds(exceptions: readonly GroupingException[]): Fault | undefined {
  if (exceptions.length < 2 || exceptions.some(({ exceptionId }) => exceptionId === undefined)) return undefined;
  const ids = new Set(exceptions.map(({ exceptionId }) => exceptionId));
  const roots = exceptions.filter(({ parentId }) => parentId === undefined || !ids.has(parentId));
  const [root] = roots;
  if (!root || roots.length > 1 || ids.size < exceptions.length) return undefined;
  const byParent = Map.groupBy(exceptions, ({ parentId }) => parentId);
  const faultOf = (exception: GroupingException): Fault => {
    const below = (byParent.get(exception.exceptionId) ?? []).filter((one) => one !== exception && one !== root);
    const [members, causes] = [
      below.filter(({ role }) => role === ExceptionRole.MEMBER),
      below.filter(({ role }) => role !== ExceptionRole.MEMBER),
    ];
    return { exception, causes: causes.map(faultOf), members: members.map(faultOf) };
  };
  return faultOf(root); // an exception has one parent, so those of a circle are not below the root
}

/** React reports what it recovered from as an error of its own, whose cause is the application's. */
const recovered =
  /^(?:There was an error (?:during concurrent rendering|while hydrating)|Hydration failed because|Minified React error #(?:418|421|422|423|520)\b)/;

function withoutRecovery(fault: Fault | undefined): Fault | undefined {
  const [cause] = fault?.causes ?? [];
  return fault && cause && recovered.test(fault.exception.value) ? cause : fault;
}
