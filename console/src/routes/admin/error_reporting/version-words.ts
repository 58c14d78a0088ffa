import type { OwnErrorReporting } from "#lib/messages.ts";

/** The version of the external system that counts, and where it comes from; undefined: there is nothing to say. */
export function versionWords({
  askedVersion,
  externalVersion,
  externalVersionSource,
}: OwnErrorReporting): { readonly shown: string; readonly from: string } | undefined {
  switch (externalVersionSource) {
    case "EXTERNAL_VERSION_SOURCE_ASKED":
      return { shown: askedVersion, from: "as the system reports it" };
    case "EXTERNAL_VERSION_SOURCE_TYPED":
      return { shown: externalVersion, from: "as entered below: the system does not report one" };
    case "EXTERNAL_VERSION_SOURCE_UNKNOWN":
      return { shown: "unknown", from: "the system does not report one, and none was entered" };
    case "EXTERNAL_VERSION_SOURCE_EXEMPT":
      return { shown: "not needed", from: "the reports go to Faultline or to a cloud-hosted system" };
    default:
      return undefined;
  }
}
