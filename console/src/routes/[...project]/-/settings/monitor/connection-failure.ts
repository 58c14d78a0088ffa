import type { ExternalProject } from "#lib/messages.ts";
import type { Reason } from "#lib/failures/refusal.server.ts";

/** The result of a connection. */
export interface Connected {
  /** Undefined if the connection failed. */
  readonly projects?: readonly ExternalProject[];
  /** Problems in spite of which the connection works. */
  readonly warnings?: readonly string[];
  readonly failure?: ConnectionFailure;
}

/** The request of the page to an external system. */
export interface Asked {
  readonly projectId: number;
  readonly externalApiUrl: string;
  /** Empty to use the stored token. */
  readonly externalAuthToken: string;
}

/** The cause of a failed connection to an external system, in words for people. */
export interface ConnectionFailure {
  readonly cause: string;
  /** The failure in the terms of the administrators of the external system. Empty if there is nothing to add. */
  readonly detail: string;
}

interface Refused {
  readonly reason: string;
  /** The service's sentence for people. */
  readonly message: string;
  readonly detail: string;
}

/** For all other reasons, the sentence is sufficient. */
const causes: Partial<Record<Reason, string>> = {
  MONITOR_DISABLED: "Monitor is turned off for this project. Turn it on in Settings > General, then connect again.",
  EXTERNAL_ADDRESS_REFUSED:
    "Connections to this address are blocked: its name could not be found, or it leads to a private network, a reserved address or this service. If the address is correct, the operator of this service can allow its network with FAULTLINE_OUTBOUND_NETWORKS and its port with FAULTLINE_OUTBOUND_PORTS.",
  EXTERNAL_UNREACHABLE: "This address cannot be reached: the system is down, failing, too slow or unreachable.",
  EXTERNAL_TOKEN_REFUSED:
    "The external system refused the auth token. The token was mistyped or revoked, has expired, or lacks one of the scopes project:read, event:read and event:write.",
  EXTERNAL_ANSWER_INVALID:
    "The address did not respond like an error-tracking system. It may lead to a sign-in page, a proxy or another service.",
};

export function connectionFailure({ reason, message, detail }: Refused): ConnectionFailure {
  const cause = Object.entries(causes).find(([name]) => name === reason)?.[1] ?? message;
  return { cause, detail };
}
