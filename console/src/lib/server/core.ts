import { ErrorReason, services } from "@faultline/proto";
import { connect, CallError, reasonName } from "@faultline/proto/grpc";
import { credentials, status } from "@grpc/grpc-js";
import { FAULTLINE_GRPC_ADDRESS } from "$app/env/private";
import { refusal, type Refusal } from "#lib/failures/refusal.server.ts";

// An event may have a payload of 1 MB before its JSON is escaped; grpc-js has a limit of 4 MiB by default.
const maxReceiveBytes = 16 * 1024 * 1024;

const connection = connect(FAULTLINE_GRPC_ADDRESS, credentials.createInsecure(), {
  "grpc.max_receive_message_length": maxReceiveBytes,
  // Finds a restarted core within a second, instead of after grpc-js's growing pauses of up to two minutes.
  "grpc.initial_reconnect_backoff_ms": 100,
  "grpc.max_reconnect_backoff_ms": 1000,
});

/** The core's services, over the only connection to it. */
export const core = connection.services(services);

/** A client of a service outside the core, such as a plugin's service. */
export const clientOf = connection.service;

/** Codes without a reason of the core: it did not answer, or the browser left and the call was aborted. */
const unreachable = new Set<number>([status.UNAVAILABLE, status.DEADLINE_EXCEEDED, status.CANCELLED]);

/** The refusal of a failed call for the person. */
export function refusalOf(error: unknown): Refusal {
  if (!(error instanceof CallError)) return refusal("UNKNOWN");
  if (error.reason !== ErrorReason.UNSPECIFIED) {
    return refusal(reasonName(error.reason), error.message, error);
  }
  if (error.code === status.RESOURCE_EXHAUSTED) return refusal("INVALID_FIELD", "The text is too long. Shorten it.");
  return refusal(unreachable.has(error.code) ? "CORE_UNREACHABLE" : "UNKNOWN");
}
