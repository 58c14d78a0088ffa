import type { Deprecation } from "#lib/messages.ts";
import { areas, states } from "./words.ts";
import type { PageServerLoad } from "./$types";

/** All notices are read, because they are few. The page shows the notices selected by the address. */
export const load: PageServerLoad = async ({ url, locals }) => {
  const { deprecations, release: standsFor } = await locals.api.deprecations.listDeprecations({});
  const asked = {
    release: url.searchParams.get("release") ?? "",
    area: url.searchParams.get("area") ?? "",
    state: url.searchParams.get("state") ?? "",
  };
  const area = areas.find(({ key }) => key === asked.area);
  const state = states.find(({ key }) => key === asked.state);
  const shown = deprecations.filter(
    (notice) =>
      (asked.release === "" || touches(notice, asked.release)) &&
      (area === undefined || notice.area === area.area) &&
      (state === undefined || notice.state === state.state),
  );
  return {
    standsFor,
    asked: { release: asked.release, area: area?.key ?? "", state: state?.key ?? "" },
    filtered: shown.length < deprecations.length,
    all: deprecations.length,
    releases: releasesOf(deprecations),
    shown,
  };
};

const touches = ({ announcedIn, endOfSupportIn, removedIn }: Deprecation, release: string) =>
  [announcedIn, endOfSupportIn, removedIn].includes(release);

/** Every release that a notice names, newest first. */
function releasesOf(notices: readonly Deprecation[]): string[] {
  const named = new Set(notices.flatMap(({ announcedIn, removedIn }) => [announcedIn, removedIn]));
  named.delete("");
  return [...named].toSorted((a, b) => b.localeCompare(a, "en", { numeric: true }));
}
