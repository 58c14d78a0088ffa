import { invalidField, serve, type Deprecations } from "@faultline/plugin";
import { DeprecationArea, DeprecationService } from "@faultline/proto";

/** Lists what the platform's interface will lose or has lost (specification section 9). */
export const deprecationService = (rules: Deprecations) =>
  serve(DeprecationService, () => ({
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
  }));
