import { contractVersion, invalidField, StartRefusal, type Deprecations, type Plugin } from "@faultline/plugin";
import { faultsOf } from "./check-notices.ts";
import { deprecationService } from "./deprecation-service.ts";
import { judgeExternalVersion } from "./external-version.ts";
import { judge } from "./judge.ts";
import { listNotices } from "./list-notices.ts";
import { notices } from "./notices.ts";
import { listDeprecations } from "./rest.ts";
import { isRelease } from "./release.ts";
import { isAddressed } from "./request-form.ts";
import type { Platform } from "./state.ts";

/** The platform's rules of deprecation, at the release of this installation (specification section 9). */
export function deprecations({
  release,
  isHosted,
}: {
  /** Such as `18.0`. */
  release: string;
  /** On the hosted offering a removal may take effect in the month before the release (specification 9.2, rule 3). */
  isHosted: boolean;
}): Plugin & { readonly deprecations: Deprecations } {
  if (!isRelease(release))
    throw new StartRefusal(`There is no platform release ${release}. Name a release such as 18.0.`);
  const faults = faultsOf(notices);
  if (faults.length > 0) throw new StartRefusal(`The deprecation notices break their rules: ${faults.join("; ")}.`);
  const platform: Platform = { release, isHosted };

  const rules: Deprecations = {
    release,
    isRelease,
    notices(asked = release) {
      if (!isRelease(asked)) throw invalidField("release", "The release must look like 18.0.");
      return listNotices({ release: asked, isHosted });
    },
    concerns: (method, path) => notices.some(({ request }) => request && isAddressed(request, method, path)),
    verdict: (request) => judge(notices, request, platform),
    externalVersion: (version) => judgeExternalVersion(version, platform),
  };
  return {
    name: "deprecations",
    contract: contractVersion,
    deprecations: rules,
    services: [deprecationService(rules)],
    rest: [listDeprecations],
  };
}
