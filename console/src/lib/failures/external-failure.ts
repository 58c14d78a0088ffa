/**
 * The words of a page if the external system returns no data: the failure, its cause and the remedy. The messages of
 * the service are written for programs. Runs on the server, because no page needs all of it.
 */

const names = [
  "EXTERNAL_ADDRESS_REFUSED",
  "EXTERNAL_UNREACHABLE",
  "EXTERNAL_TOKEN_REFUSED",
  "EXTERNAL_RATE_LIMITED",
  "EXTERNAL_ANSWER_INVALID",
  "EXTERNAL_SETTINGS_INCOMPLETE",
] as const;

export type ExternalFailure = (typeof names)[number];

/** Whether a reason, as named in error_reason.proto, says that reading from the external system fails. */
export const isExternalFailure = (reason: string): reason is ExternalFailure => names.some((name) => name === reason);

/** The reader of the words. */
interface Reader {
  /** The external system's address; empty for people who may not see it. */
  readonly address: string;
  /** Whether the reader may change the settings. */
  readonly maintains: boolean;
  /** The service's sentence for people. */
  readonly message: string;
}

export interface FailureText {
  readonly title: string;
  readonly text: string;
  /** The label of the link to the settings. */
  readonly remedy: string;
  /** Whether only a change of the settings helps. */
  readonly needsRepair: boolean;
}

export function externalFailure(failure: ExternalFailure, { address, maintains, message }: Reader): FailureText {
  const system = address || "the external system";
  const ask = (maintainer: string, others: string) => (maintains ? maintainer : others);
  switch (failure) {
    case "EXTERNAL_UNREACHABLE":
      return {
        title: `Could not reach ${system}.`,
        text: "It is down, too slow or unreachable. Nothing is lost: its errors appear again once it responds.",
        remedy: "Check settings",
        needsRepair: false,
      };
    case "EXTERNAL_TOKEN_REFUSED":
      return {
        title: "The external system refused the auth token.",
        text: ask(
          "The token was revoked, has expired, or lacks one of the scopes project:read, event:read and event:write. Enter a new one in Settings > Monitor > Error Tracking.",
          "A maintainer can enter a new one in Settings > Monitor > Error Tracking.",
        ),
        remedy: "Enter a new token",
        needsRepair: true,
      };
    case "EXTERNAL_RATE_LIMITED":
      return {
        title: "The external system limits requests.",
        text: "Its rate limit was reached. Nothing is lost.",
        remedy: "Check settings",
        needsRepair: false,
      };
    case "EXTERNAL_ANSWER_INVALID":
      return {
        title: `${address || "The external system"} did not respond like an error-tracking system.`,
        text: ask(
          "The address may lead to a sign-in page, a proxy or another service. Check it in Settings > Monitor > Error Tracking.",
          "A maintainer can check its address in Settings > Monitor > Error Tracking.",
        ),
        remedy: "Check settings",
        needsRepair: false,
      };
    case "EXTERNAL_ADDRESS_REFUSED":
      return {
        title: `Connections to ${system} are blocked.`,
        text: ask(
          "Its name could not be found, or it leads to a private network, a reserved address or this service. If the address is correct, the operator of this service can allow its network with FAULTLINE_OUTBOUND_NETWORKS and its port with FAULTLINE_OUTBOUND_PORTS.",
          "A maintainer can check its address in Settings > Monitor > Error Tracking.",
        ),
        remedy: "Check settings",
        needsRepair: false,
      };
    case "EXTERNAL_SETTINGS_INCOMPLETE":
      return {
        title: "The external system is not set up yet.",
        text: message,
        remedy: "Set it up",
        needsRepair: true,
      };
  }
}
