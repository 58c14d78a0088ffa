import { oneOf } from "#lib/preferences/preferences.ts";
import { lastProject } from "#lib/server/last-project.ts";
import { action } from "#lib/server/action.ts";
import { sentrySlugs } from "#lib/projects/sentry-slugs.ts";
import type { Api } from "#lib/server/trpc/caller.ts";
import type { Actions, PageServerLoad, RequestEvent } from "./$types";
import { exampleOf, isForUploads } from "./example.ts";

const scopes = ["api", "read_api", "upload"] as const;

export const load: PageServerLoad = async ({ locals, url }) => {
  const pageToken = url.searchParams.get("cursor") ?? "";
  const { accessTokens, nextPageToken } = await locals.api.accounts.listAccessTokens({ pageSize: 50, pageToken });
  return { accessTokens, nextPageToken, rotating: Number(url.searchParams.get("rotate") ?? 0) };
};

/** The last visited project, for an example that runs unchanged; otherwise the first project. */
async function exampleProject(api: Api, path: string | undefined) {
  const { projects } = await api.projects.listProjects({ query: path ?? "", pageSize: 20 });
  return projects.find((one) => one.path === path) ?? projects[0];
}

/**
 * Creates a token that names the project's organization to Sentry's tools, and returns it with an example of its use.
 */
async function madeFor(
  { locals, cookies, url }: Pick<RequestEvent, "locals" | "cookies" | "url">,
  make: (organization: string) => ReturnType<Api["accounts"]["createAccessToken"]>,
) {
  const project = await exampleProject(locals.api, lastProject(cookies));
  const { token, sentryToken, accessToken } = await make(project ? sentrySlugs(project.path).organization : "");
  const made = { token, sentryToken, scopes: accessToken?.scopes ?? [] };
  const of = project ? ` of ${project.path}` : "";
  const about = isForUploads(made)
    ? `Uploads the source maps of a build${of}.`
    : `Lists the client keys of project ${project?.projectId ?? 1}. With -X POST it creates one, which needs the Maintainer role.`;
  return { token, sentryToken, accessToken, about, example: exampleOf(made, { origin: url.origin, project }) };
}

/** A date field holds a day; the token is valid until the end of that day, UTC. */
function endOfDay(day: string): { expiresTime?: string } {
  return /^\d{4}-\d\d-\d\d$/.test(day) ? { expiresTime: `${day}T23:59:59Z` } : {};
}

export const actions: Actions = {
  create: async (event) => {
    const { request, locals } = event;
    const form = await request.formData();
    const name = String(form.get("name") ?? "").trim();
    const scope = oneOf(scopes, form.get("scope"));
    const expires = String(form.get("expires") ?? "");
    return action(
      async () => ({
        act: "create" as const,
        ...(await madeFor(event, (organization) =>
          locals.api.accounts.createAccessToken({ name, scopes: [scope], organization, ...endOfDay(expires) }),
        )),
      }),
      { act: "create" as const, name, scope, expires },
    );
  },
  rotate: async (event) => {
    const { request, locals } = event;
    const form = await request.formData();
    const tokenId = Number(form.get("token_id"));
    const expires = String(form.get("expires") ?? "");
    return action(
      async () => ({
        act: "rotate" as const,
        rotated: tokenId,
        ...(await madeFor(event, (organization) =>
          locals.api.accounts.rotateAccessToken({ tokenId, organization, ...endOfDay(expires) }),
        )),
      }),
      { act: "rotate" as const },
    );
  },
  revoke: async ({ request, locals }) => {
    const tokenId = Number((await request.formData()).get("token_id"));
    return action(
      async () => {
        const { accessToken } = await locals.api.accounts.revokeAccessToken({ tokenId });
        return { act: "revoke" as const, revoked: accessToken?.name ?? "", accessToken };
      },
      { act: "revoke" as const },
    );
  },
};
