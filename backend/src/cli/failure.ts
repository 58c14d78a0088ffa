import { ServiceError, StartRefusal } from "@faultline/plugin";
import { CallError } from "@faultline/proto/grpc";
import { status } from "@grpc/grpc-js";
import { InvalidArgumentError } from "commander";
import { CommandFault, end } from "./output.ts";

/** Prints the failure and ends with exit code 1. */
export function fail(error: unknown): never {
  end(explain(error));
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
