import { contractVersion, type Deprecations, type Plugin } from "@faultline/plugin";

/** The platform's rules of deprecation, at the release this installation stands for (specification section 9). */
export function deprecations({
  release,
}: {
  /** Such as `18.0`. */
  release: string;
  /** On the hosted offering a removal may take effect in the month before the release (specification 9.2, rule 3). */
  isHosted: boolean;
}): Plugin & { readonly deprecations: Deprecations } {
  return {
    name: "deprecations",
    contract: contractVersion,
    deprecations: {
      release,
      notices: () => [],
      verdict: () => undefined,
      externalVersion: () => ({ isSupported: true, notice: "" }),
    },
  };
}
