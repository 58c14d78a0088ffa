/** The prefixes of a repository's addresses of commits and tags. The name of the commit or tag follows. */
export interface CodeRepository {
  readonly commits: string;
  readonly tags: string;
}

/** The repository that a project's links to its code lead to (Project.code_url). Undefined if its form is unknown. */
export function codeRepository(codeUrl: string): CodeRepository | undefined {
  const [fixed = ""] = codeUrl.split("{", 1);
  for (const { repository, commits, tags } of forms) {
    const [, base] = repository.exec(fixed) ?? [];
    if (base !== undefined) return { commits: base + commits, tags: base + tags };
  }
  return undefined;
}

/** The address that shows a commit. Empty if the repository's form is unknown, or if the id is not a Git id. */
export function commitAddress(codeUrl: string, commitId: string): string {
  const repository = /^[\da-f]{7,64}$/i.test(commitId) ? codeRepository(codeUrl) : undefined;
  return repository ? repository.commits + commitId : "";
}

/** GitLab; Bitbucket Cloud; Gitea and Forgejo; GitHub. */
const forms = [
  { repository: /^(.+?)\/-\/(?:blob|blame|tree|raw)\//, commits: "/-/commit/", tags: "/-/tags/" },
  { repository: /^(https:\/\/bitbucket\.org\/[^/]+\/[^/]+)\/src\//, commits: "/commits/", tags: "/commits/tag/" },
  {
    repository: /^(\w+:\/\/[^/]+(?:\/[^/]+){2,3})\/src\/(?:commit|branch|tag)\//,
    commits: "/commit/",
    tags: "/src/tag/",
  },
  { repository: /^(\w+:\/\/[^/]+\/[^/]+\/[^/]+)\/(?:blob|blame)\//, commits: "/commit/", tags: "/releases/tag/" },
];
