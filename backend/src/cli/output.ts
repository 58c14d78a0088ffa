import { toJson, type DescMessage, type MessageShape } from "@bufbuild/protobuf";
import { StartRefusal } from "@faultline/plugin";
import { CallError } from "@faultline/proto/grpc";
import { status } from "@grpc/grpc-js";
import { InvalidArgumentError } from "commander";

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

/** Writes a message as one line of JSON. */
export function printMessage<S extends DescMessage>(schema: S, message: MessageShape<S>): void {
  printLine(toJson(schema, message, { alwaysEmitImplicit: true }));
}

/** Writes any value as one line of JSON. */
export function printLine(value: unknown): void {
  process.stdout.write(`${JSON.stringify(value)}\n`);
}

/** Reports the progress of long work. */
export function progress(text: string): void {
  process.stderr.write(`${text}\n`);
}

/** A number from the command line; refuses anything else, and numbers below 1. */
export function wholeNumber(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new InvalidArgumentError("Give a whole number from 1 on.");
  return Number(text);
}

/** The same, or 0. */
export function countOrNone(text: string): number {
  return text === "0" ? 0 : wholeNumber(text);
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

/** The failure in words for a person at the command line. */
export function explain(error: unknown): string {
  if (error instanceof CallError) {
    return error.code === status.UNAVAILABLE || error.code === status.DEADLINE_EXCEEDED
      ? "The service cannot be reached. Is it running, and is FAULTLINE_GRPC_ADDRESS right? At an address beyond this machine it must speak TLS, with a certificate of an authority that this machine trusts or that FAULTLINE_GRPC_TLS_CA names."
      : error.message;
  }
  if (error instanceof CommandFault || error instanceof InvalidArgumentError || error instanceof StartRefusal)
    return error.message;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
