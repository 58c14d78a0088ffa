import { styleText } from "node:util";
import { ServiceError, StartRefusal } from "@faultline/plugin";
import { CallError } from "@faultline/proto/grpc";
import { status } from "@grpc/grpc-js";
import { InvalidArgumentError } from "commander";
import { tableOf } from "./table.ts";

/** The exit code that a shell reports for a program ended by SIGPIPE. */
const closedPipe = 141;

/**
 * Ends the command when nobody reads its output any more, as behind `| head -1`: quietly, as other programs end, and
 * not with 0, as the output is cut off. A backup does not stop because nobody reads its progress.
 */
export function watchOutput(): void {
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code === "EPIPE") process.exit(closedPipe);
    fail(new CommandFault(`The output cannot be written: ${error.message}.`));
  });
  process.stderr.on("error", () => undefined);
}

let isJson = false;

/** Makes the command print JSON at a terminal, too. */
export function printJson(wanted: boolean): void {
  isJson = wanted;
}

/**
 * Writes a body of REST: as a table at a terminal, otherwise as JSON, each entry of a list in a line of its own. `columns`:
 * see `tableOf`.
 */
export function print(body: unknown, columns?: readonly string[]): void {
  if (isJson || !process.stdout.isTTY) {
    for (const one of Array.isArray(body) ? body : [body]) printLine(one);
  } else if (!Array.isArray(body) || body.length > 0) {
    const heading = (text: string) => styleText("bold", text); // Node heeds NO_COLOR, FORCE_COLOR and TERM
    process.stdout.write(tableOf(body, { width: process.stdout.columns || 80, heading }, columns));
  }
}

/** Writes any value as one line of JSON, also at a terminal. */
export function printLine(value: unknown): void {
  process.stdout.write(`${JSON.stringify(value)}\n`);
}

/** Says something beside the output: progress of long work, or a note about a result. */
export function progress(text: string): void {
  process.stderr.write(`${text}\n`);
}

/** A number from the command line; refuses anything else, and numbers below 1. */
export function wholeNumber(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new InvalidArgumentError("Give a whole number from 1 on.");
  return Number(text);
}

/** A fault that the person at the command line can fix. */
export class CommandFault extends Error {}

/** Fails a command that named things by ids if some of the ids name nothing; the others are done. */
export function refuseUnknown(things: string, ids: readonly string[], place: string): void {
  if (ids.length > 0) throw new CommandFault(`There are no such ${things} ${place}: ${ids.join(", ")}.`);
}

/** Prints the failure and ends with exit code 1. */
export function fail(error: unknown): never {
  process.stderr.write(`faultline: ${explain(error)}\n`);
  process.exit(1);
}

const withSentence = [CommandFault, InvalidArgumentError, ServiceError, StartRefusal];

/** The failure in words for a person at the command line. */
export function explain(error: unknown): string {
  if (error instanceof CallError) {
    return error.code === status.UNAVAILABLE || error.code === status.DEADLINE_EXCEEDED
      ? "The service cannot be reached. Is it running, and is FAULTLINE_GRPC_ADDRESS right? At an address beyond this machine it must speak TLS, with a certificate of an authority that this machine trusts or that FAULTLINE_GRPC_TLS_CA names."
      : error.message;
  }
  if (withSentence.some((kind) => error instanceof kind)) return (error as Error).message;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
