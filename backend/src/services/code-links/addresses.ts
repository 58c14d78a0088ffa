import { repositoryPath, type FramePlace } from "./repository-path.ts";

// The values filled in come from anybody who can send an event: each part of a path is encoded, and a path that could
// lead out of the repository gets no link.

/** The location of a project's code; see Project. */
export interface CodePlace {
  readonly codeUrl: string;
  readonly codeRoot: string;
}

/** The release and commit that an event or a session reports; both may be empty. */
export interface Revision {
  readonly release: string;
  readonly commit: string;
}

/** The address of a frame's line in the repository; undefined where its file there is unknown. */
export function frameAddress(
  { codeUrl, codeRoot }: CodePlace,
  frame: FramePlace & { readonly lineno: number },
  { release, commit }: Revision,
): string | undefined {
  const path = encoded(repositoryPath(frame, codeRoot));
  const revision = encoded(commit || release || "HEAD");
  if (path === undefined || revision === undefined) return undefined;
  const values: Readonly<Record<string, string>> = { path, revision, line: String(frame.lineno) };
  return codeUrl.replaceAll(/\{(\w+)\}/g, (_, name: string) => values[name] ?? "");
}

/**
 * The address of a release's commit, otherwise of the tag with its name; undefined where the form of the address is
 * unknown.
 */
export function releaseAddress({ codeUrl }: CodePlace, { release, commit }: Revision): string | undefined {
  const [fixed = ""] = codeUrl.split("{", 1);
  for (const { repository, commits, tags } of forms) {
    const [, base] = repository.exec(fixed) ?? [];
    if (base === undefined) continue;
    if (commit !== "") return base + commits + commit;
    const tag = encoded(release);
    // Where lines are not shown at the release, there may be no tag of its name.
    return tag !== undefined && codeUrl.includes("{revision}") ? base + tags + tag : undefined;
  }
  return undefined;
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

/** A path encoded for an address; undefined when a browser or a server would resolve it to another. */
function encoded(path = ""): string | undefined {
  const parts = path.split("/");
  const isPlain = parts.every((part) => part !== "" && part !== "." && part !== "..");
  if (!isPlain || /[\p{C}\\]|%[\da-f]{2}/iu.test(path)) return undefined;
  return parts.map(encodeURIComponent).join("/");
}
