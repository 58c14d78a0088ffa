import type { ExternalLink } from "@faultline/plugin";
import type { JsonField } from "@faultline/sentry-event";

/**
 * The page of an issue: the permalink of the system, where it is http(s) on the system's own host or a subdomain of it
 * (organizations have one on sentry.io); otherwise the conventional address of issues.
 */
export function issueLink(permalink: JsonField, issueId: string, { apiUrl, project }: ExternalLink): string {
  return (
    ownPage(permalink, apiUrl) ??
    `${apiUrl}/organizations/${encodeURIComponent(project.organizationSlug)}/issues/${issueId}/`
  );
}

function ownPage(permalink: JsonField, apiUrl: string): string | undefined {
  // Checked as raw text first: parsing drops tabs and line breaks, and takes `\` for `/`.
  if (typeof permalink !== "string" || !RAW.test(permalink)) return undefined;
  const page = URL.parse(permalink);
  const own = URL.parse(apiUrl)?.hostname;
  if (!page || !own || page.username !== "" || page.password !== "") return undefined;
  return page.hostname === own || page.hostname.endsWith(`.${own}`) ? page.href : undefined;
}

const RAW = /^https?:\/\/[^\s\\@"'<>`\p{C}]{1,2000}$/iu;
