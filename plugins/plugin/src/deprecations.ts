import type { MessageInitShape } from "@bufbuild/protobuf";
import type { DeprecationSchema } from "@faultline/proto";

/** A notice with its state at a release, as a plain object. */
export type DeprecationNotice = Exclude<MessageInitShape<typeof DeprecationSchema>, { $typeName: string }>;

/** The parts of a REST request that the rules check. */
export interface RestRequest {
  readonly method: string;
  /** The path without its query, such as `/api/v4/users`. */
  readonly path: string;
  /** Names and values from query and body. */
  readonly parameters: Readonly<Record<string, unknown>>;
}

/** The verdict on a REST request that uses something deprecated or removed. */
export interface Verdict {
  /**
   * `gone`: the address was removed; answer 410. `refused`: a parameter, a value or a form of pagination was removed;
   * answer 400. `deprecated`: it still works; answer with the headers.
   */
  readonly kind: "gone" | "refused" | "deprecated";
  readonly notice: DeprecationNotice;
  /** A sentence with the change and the replacement. It says if the replacement is not part of this service. */
  readonly message: string;
  /** When the announcing release came out, in milliseconds since 1970. */
  readonly deprecatedAt: number;
  /** When it stops working here, in milliseconds since 1970: on the hosted offering, a month before the release. */
  readonly endsAt: number | undefined;
}

/** The platform's rules of deprecation (specification section 9), at the release of this installation. */
export interface Deprecations {
  /** Such as `18.0`. */
  readonly release: string;
  /** Whether a release with this name exists or is planned. */
  isRelease(text: string): boolean;
  /**
   * Every notice with its state at `release` (default: the installation's release), the next removal first. Refuses an
   * invalid release.
   */
  notices(release?: string): readonly DeprecationNotice[];
  /** Whether a notice may concern requests to this address. If not, their parameters need not be read. */
  concerns(method: string, path: string): boolean;
  /** The most severe verdict on a request. Undefined if the request uses nothing deprecated. */
  verdict(request: RestRequest): Verdict | undefined;
  /**
   * Judges the version of an external system that is to receive the installation's own failures (specification 9.1);
   * `undefined` is an unknown version. `notice` is empty if there is nothing to report. Refuses an invalid version.
   */
  externalVersion(version: string | undefined): { readonly isSupported: boolean; readonly notice: string };
}
