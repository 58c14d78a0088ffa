import { ServiceError } from "@faultline/plugin";
import { BundleError } from "../bundle/bundle-error.ts";
import { MapError } from "../mapping/map-error.ts";

/** A limit that an upload exceeds, or a part that it lacks. */
export class UploadFault extends Error {}

/** The sentence for a person about what is wrong with an upload; undefined: the fault is ours. */
export function uploadFault(error: unknown): string | undefined {
  const isTheirs =
    error instanceof ServiceError ||
    error instanceof UploadFault ||
    error instanceof BundleError ||
    error instanceof MapError;
  return isTheirs ? error.message : undefined;
}
