import { invalidField, type Deprecations, type Handlers } from "@faultline/plugin";
import { DeprecationArea, DeprecationService } from "@faultline/proto";
import type { CoreCall } from "../access/guard.ts";

/** What the platform's interface will lose or has lost; the rules are a plugin's. */
export function deprecationService(rules: Deprecations): Handlers<typeof DeprecationService, CoreCall> {
  return {
    async listDeprecations({ release, touchedIn, area }) {
      const asked = release === "" ? rules.release : release;
      if (touchedIn !== "" && !rules.isRelease(touchedIn)) {
        throw invalidField("touched_in", "The release in touched_in must look like 18.0.");
      }
      const deprecations = rules
        .notices(asked)
        .filter((notice) => touchedIn === "" || notice.announcedIn === touchedIn || notice.removedIn === touchedIn)
        .filter((notice) => area === DeprecationArea.UNSPECIFIED || notice.area === area);
      return { deprecations, release: asked };
    },
  };
}
