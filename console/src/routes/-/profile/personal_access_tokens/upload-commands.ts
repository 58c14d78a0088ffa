import { sentrySlugs } from "#lib/projects/sentry-slugs.ts";

/**
 * The commands by which a build uploads its source maps with a new token. `sentryToken` is empty where the token has no such
 * spelling; `path` is that of the project, undefined where the user has none.
 */
export function uploadCommands({
  token,
  sentryToken,
  origin,
  path = "acme/web",
}: {
  readonly token: string;
  readonly sentryToken: string;
  readonly origin: string;
  readonly path: string | undefined;
}): string {
  const { organization, project } = sentrySlugs(path);
  const access =
    sentryToken === ""
      ? [`export SENTRY_URL=${origin}`, `export SENTRY_ORG=${organization}`, `export SENTRY_AUTH_TOKEN=${token}`]
      : [`export SENTRY_AUTH_TOKEN=${sentryToken}`];
  return [
    ...access,
    `export SENTRY_PROJECT=${project}`,
    "npx @sentry/cli sourcemaps inject ./dist",
    "npx @sentry/cli sourcemaps upload ./dist",
  ].join("\n");
}
