import { ExceptionRole } from "@faultline/proto";
import type { JsonField } from "../json/json.ts";
import type { SentException } from "../occurrence.ts";

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

/** Whether an exception was suppressed or only describes another one, by its type and that of its mechanism. */
export function isAside(type: string, mechanismType: JsonField): boolean {
  return mechanismType === "suppressed" || diagnostic.test(type);
}

/** Exceptions that say where another one was observed: Kotlin's coroutines, Reactor. */
const diagnostic = /(?:^|[.$])(?:DiagnosticCoroutineContextException|OnAssemblyException)$/;

/**
 * Whether a parent that is marked as a group has several children. The mark alone does not say it: Sentry's SDKs for Go and
 * JavaScript have marked each exception that wraps another one.
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
