import type { ErrorEvent, GroupingException } from "@faultline/proto";
import { type Fault, faultTree } from "../exceptions.ts";
import { shownType } from "../generated-names/names.ts";
import { kindsOf, reachOf, type StackReading } from "../grouping/fault-parts.ts";
import { cleanText, firstLine, asObject, readText } from "../json.ts";
import { limits } from "../limits.ts";
import type { SentException } from "../occurrence.ts";
import { publicName } from "./public-name.ts";

/**
 * The title of an event, at most 256 characters: its own, otherwise `type: first line of value` of the exception that
 * names it, a native crash by its signal, otherwise the first line of its message, otherwise `<unlabeled event>` (section
 * 9.3). White space names nothing: a link to the error would have no name.
 */
export function titleOf(event: Pick<ErrorEvent, "title" | "exceptions" | "message" | "platform">): string {
  const title = event.title || ownTitle(event);
  return cleanText(publicName(title.trim() === "" ? "<unlabeled event>" : title), limits.text.title);
}

function ownTitle({ exceptions, message, platform }: Pick<ErrorEvent, "exceptions" | "message" | "platform">): string {
  const naming = namingOf(exceptions, platform);
  if (!naming) return firstLine(message);
  return exceptionTitle(naming.exception, platform) + remark(naming);
}

function exceptionTitle(exception: GroupingException, platform: string): string {
  if (exception.fault !== "") return faultTitle(exception);
  const line = firstLine(exception.value);
  const sent = exception.type.trim() === "" ? "Error" : shownType(platform, exception.type);
  const type = cleanText(sent, limits.text.titleType);
  return line === "" ? type : `${type}: ${line}`;
}

/** The remark of a title about a group: ` (3 times in ExceptionGroup)`, ` (KeyError, ValueError)`. */
function remark({ group, types }: Naming): string {
  if (group) return group.count > 1 ? ` (${group.count} times in ${group.type})` : ` (in ${group.type})`;
  return types.length > 0 ? ` (${types.slice(0, mostTypes).join(", ")}${types.length > mostTypes ? ", ..." : ""})` : "";
}

const mostTypes = 5;

/** The exception that names an event, and the group that it stands for. */
interface Naming {
  readonly exception: GroupingException;
  /** The group with exceptions of this kind only; undefined if the exception is not a member of such a group. */
  readonly group?: { readonly type: string; readonly count: number };
  /** The types in a group of different kinds, sorted; otherwise empty. */
  readonly types: readonly string[];
}

/** The exception that names an event. Undefined for messages. */
export function namingException({ exceptions, platform }: Pick<ErrorEvent, "exceptions" | "platform">) {
  return namingOf(exceptions, platform)?.exception;
}

/** The exception that was caught; for a group of exceptions of one kind, one of them. Undefined for messages. */
function namingOf(exceptions: readonly GroupingException[], platform: string): Naming | undefined {
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

/**
 * The signal or machine exception of a native crash, such as `SIGSEGV` or `EXC_BAD_ACCESS`. Empty for exceptions that a
 * program threw, because their types say more.
 */
export function faultOf(exception: SentException | undefined): string {
  if (!exception?.synthetic) return "";
  const meta = asObject(exception.mechanism?.["meta"]);
  const nameOf = (key: string) => readText(asObject(meta?.[key])?.["name"], limits.text.titleType).trim();
  const signal = asObject(meta?.["signal"])?.["number"];
  return (
    nameOf("mach_exception") ||
    nameOf("signal") ||
    (typeof signal === "number" && signalNames.get(signal)) ||
    (FAULT.test(exception.type) ? exception.type : "")
  );
}

function faultTitle({ fault, value }: Pick<GroupingException, "fault" | "value">): string {
  const line = firstLine(value);
  if (line === "") return fault;
  return line.startsWith(fault) ? line : `${fault}: ${line}`;
}

// The types that crash handlers and minidumps give: of POSIX, Apple and Windows.
const FAULT = /^(?:SIG[A-Z]{2,8}|EXC_[A-Z_]+|EXCEPTION_[A-Z_]+)$/;

/** The signals that end a program and have the same number on Linux and Apple's systems. */
const signalNames: ReadonlyMap<number, string> = new Map([
  [4, "SIGILL"],
  [5, "SIGTRAP"],
  [6, "SIGABRT"],
  [8, "SIGFPE"],
  [9, "SIGKILL"],
  [11, "SIGSEGV"],
  [13, "SIGPIPE"],
  [15, "SIGTERM"],
]);
