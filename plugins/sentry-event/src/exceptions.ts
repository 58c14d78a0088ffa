import { ExceptionRole, type GroupingException, type Exception } from "@faultline/proto";
import type { JsonField } from "./json.ts";
import type { SentException } from "./occurrence.ts";

/** An exception with those below it. */
export interface Fault {
  readonly exception: GroupingException;
  /** The causes, mostly one. */
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

/** The exception that names an event: the caught exception. */
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
  return faultOf(root); // an exception has one parent, so exceptions in a circle are not below the root
}

/** React reports an error that it recovered from as a separate error; its cause is the application's error. */
const recovered =
  /^(?:There was an error (?:during concurrent rendering|while hydrating)|Hydration failed because|Minified React error #(?:418|421|422|423|520)\b)/;

function withoutRecovery(fault: Fault | undefined): Fault | undefined {
  const [cause] = fault?.causes ?? [];
  return fault && cause && recovered.test(fault.exception.value) ? cause : fault;
}

/** The relation of an exception to others of its event. */
export interface Relation {
  readonly exceptionId?: number;
  readonly parentId?: number;
  readonly role: ExceptionRole;
}

const alone: Relation = { role: ExceptionRole.UNSPECIFIED };

/** The relations of the exceptions of an event, in their order. */
export function relationsOf(exceptions: readonly SentException[]): Relation[] {
  return exceptions.map((exception) => relationOf(exception, exceptions));
}

function relationOf({ type, mechanism }: SentException, all: readonly SentException[]): Relation {
  if (!mechanism) return isAside(type, undefined) ? { role: ExceptionRole.ASIDE } : alone;
  const [exceptionId, parentId] = [readId(mechanism["exception_id"]), readId(mechanism["parent_id"])];
  const source = mechanism["source"];
  const isMember =
    parentId !== undefined &&
    ((typeof source === "string" && /\[\d+\]$/.test(source)) || (all.length > 2 && isInGroup(parentId, all)));
  const role = isMember ? ExceptionRole.MEMBER : ExceptionRole.UNSPECIFIED;
  return {
    ...(exceptionId !== undefined && { exceptionId }),
    ...(parentId !== undefined && { parentId }),
    role: isAside(type, mechanism["type"]) ? ExceptionRole.ASIDE : role,
  };
}

/** Whether an exception was suppressed or only describes another exception, by its type and the type of its mechanism. */
function isAside(type: string, mechanismType: JsonField): boolean {
  return mechanismType === "suppressed" || diagnostic.test(type);
}

/** Exceptions that say where another exception was observed: Kotlin's coroutines, Reactor. */
const diagnostic = /(?:^|[.$])(?:DiagnosticCoroutineContextException|OnAssemblyException)$/;

/**
 * Whether a parent that is marked as a group has several children. The mark alone does not say it: Sentry's SDKs for Go and
 * JavaScript have marked each exception that wraps another.
 */
function isInGroup(parentId: number, all: readonly SentException[]): boolean {
  const parent = all.find(({ mechanism }) => mechanism?.["exception_id"] === parentId);
  if (parent?.mechanism?.["is_exception_group"] !== true) return false;
  const children = all.filter(
    ({ mechanism }) => mechanism?.["parent_id"] === parentId && mechanism["type"] !== "suppressed",
  );
  return children.length > 1;
}

function readId(sent: JsonField): number | undefined {
  return typeof sent === "number" && sent >= 0 && (sent | 0) === sent ? sent : undefined;
}

/** The exception that names a shown event: the caught exception. Undefined for messages. */
export function shownException(exceptions: readonly Exception[]): Exception | undefined {
  if (exceptions.length < 2) return exceptions[0];
  const grouping = exceptions.map(({ type, value, mechanism }): GroupingException => ({
    $typeName: "faultline.v1.GroupingException",
    type,
    value,
    synthetic: mechanism?.synthetic ?? false,
    frames: [],
    fault: "",
    ...(mechanism?.exceptionId !== undefined && { exceptionId: mechanism.exceptionId }),
    ...(mechanism?.parentId !== undefined && { parentId: mechanism.parentId }),
    role: isAside(type, mechanism?.type) ? ExceptionRole.ASIDE : ExceptionRole.UNSPECIFIED,
  }));
  const main = mainException(grouping);
  return main && exceptions[grouping.indexOf(main)];
}
