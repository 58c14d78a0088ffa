import { sentrySlugs } from "#lib/projects/sentry-slugs.ts";

/** A new token. */
export interface Made {
  readonly token: string;
  /** The token's spelling for Sentry's tools; empty if it has none. */
  readonly sentryToken: string;
  readonly scopes: readonly string[];
}

/** The address and the last visited project of the example. Undefined if the user has no project. */
export interface Place {
  readonly origin: string;
  readonly project: { readonly projectId: number; readonly path: string } | undefined;
}

/** Whether a token can only upload and read nothing. */
export const isForUploads = ({ scopes }: Pick<Made, "scopes">): boolean => scopes.join() === "upload";

/** A command that runs unchanged with a new token, or the commands of a build for a token with the scope `upload`. */
export function exampleOf(made: Made, place: Place): string {
  if (isForUploads(made)) return uploadCommands(made, place);
  const { origin, project } = place;
  return `curl -H 'PRIVATE-TOKEN: ${made.token}' '${origin}/api/v4/projects/${project?.projectId ?? 1}/error_tracking/client_keys'`;
}

function uploadCommands({ token, sentryToken }: Made, { origin, project }: Place): string {
  const slugs = sentrySlugs(project?.path ?? "acme/web");
  const access =
    sentryToken === ""
      ? [`export SENTRY_URL=${origin}`, `export SENTRY_ORG=${slugs.organization}`, `export SENTRY_AUTH_TOKEN=${token}`]
      : [`export SENTRY_AUTH_TOKEN=${sentryToken}`];
  return [
    ...access,
    `export SENTRY_PROJECT=${slugs.project}`,
    "npx @sentry/cli sourcemaps inject ./dist",
    "npx @sentry/cli sourcemaps upload ./dist",
  ].join("\n");
}
