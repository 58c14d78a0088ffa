import type { ExternalProject } from "#lib/messages.ts";
import { sessionToken } from "#lib/server/session.ts";
import { refusalOfTrpc } from "#lib/server/trpc/procedures.ts";
import { createCaller } from "#lib/server/trpc/router.ts";
import type { RequestHandler } from "./$types";

/**
 * The projects of an external system (specification 4.3, gitlab.md 4.5): query `api_host` and `token`. The settings
 * page itself uses tRPC, so that no address contains a token.
 */
export const GET: RequestHandler = async ({ params, url, request, cookies }) => {
  const { headers } = request;
  const given = headers.get("private-token") || /^bearer\s+(\S+)$/i.exec(headers.get("authorization") ?? "")?.[1];
  const token = given || sessionToken(cookies, url);
  // Our tokens have no other characters, and gRPC could not carry other characters.
  if (!token || !/^[\x21-\x7e]+$/.test(token)) return respond(401, "401 Unauthorized");
  // Browsers also send the cookie if another site links to this address, so it counts only for our own pages.
  if (!given && headers.get("sec-fetch-site") !== "same-origin") {
    return respond(403, "Send a personal access token, or ask from a page of this site.");
  }
  const api = createCaller({ token, signal: request.signal });
  try {
    const { project } = await api.projects.getProject({ path: params.project });
    const { externalProjects } = await api.settings.listExternalProjects({
      projectId: project?.projectId ?? 0,
      externalApiUrl: url.searchParams.get("api_host") ?? "",
      externalAuthToken: url.searchParams.get("token") ?? "",
    });
    return Response.json({ projects: externalProjects.map(shown) });
  } catch (error) {
    const { status, reason, message, detail } = refusalOfTrpc(error);
    if (status === 404) return new Response(null, { status }); // Monitor is off (section 7), or no such project
    if (reason === "TOO_MANY_ATTEMPTS") return respond(status, message, { "Retry-After": "60" });
    // The request failed: 400, even if the reason has another status elsewhere.
    return respond([401, 403, 500, 503].includes(status) ? status : 400, detail || message);
  }
};

const respond = (status: number, message: string, headers = {}) => Response.json({ message }, { status, headers });

/** The form of the original. */
const shown = ({ id, name, status, slug, organizationName, organizationId, organizationSlug }: ExternalProject) => ({
  id,
  name,
  status: status || null,
  slug,
  organization_name: organizationName,
  organization_id: organizationId || null,
  organization_slug: organizationSlug,
});
