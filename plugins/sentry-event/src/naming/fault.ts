import type { GroupingException } from "@faultline/proto";
import { asObject } from "../json/json.ts";
import { firstLine, readText } from "../json/text.ts";
import { limits } from "../limits.ts";
import type { SentException } from "../occurrence.ts";

/**
 * The signal or machine exception of a native crash, such as `SIGSEGV` or `EXC_BAD_ACCESS`. Empty for exceptions that a
 * program threw, whose type says more.
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

/** The title of a native crash. */
export function faultTitle({ fault, value }: Pick<GroupingException, "fault" | "value">): string {
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
