/** A project's names in Sentry's tools: SENTRY_ORG and SENTRY_PROJECT (docs/sentry-api.md, "Names"). */
export function sentrySlugs(path: string): { readonly organization: string; readonly project: string } {
  const [first = "", ...others] = path.split("/");
  return others.length === 0
    ? { organization: "-", project: first }
    : { organization: first, project: others.join("~") };
}
