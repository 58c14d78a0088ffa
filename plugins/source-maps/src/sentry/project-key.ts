/** The path of the project that two slugs of Sentry name; undefined where no path has them. */
export type ProjectPathOf = (slugs: { readonly organization: string; readonly project: string }) => string | undefined;

/** How a request names the project of an address: by the id, where that is in place of the slug, or by its path. Undefined: there is none. */
export function projectKey(
  pathOf: ProjectPathOf,
  organization: string,
  project: string,
): { readonly projectId: number } | { readonly projectPath: string } | undefined {
  if (isId.test(project)) return { projectId: Number(project) };
  const projectPath = pathOf({ organization, project });
  return projectPath === undefined ? undefined : { projectPath };
}

const isId = /^[1-9]\d{0,8}$/;
