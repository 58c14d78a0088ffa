import { repositoryPath, type FramePlace } from "./repository-path.ts";

// What is filled in comes from anybody who can send an event: each part of a path is encoded, and one that could lead out
// of the repository makes no link at all.

/** Where the code of a project is; see Project. */
export interface CodePlace {
  readonly codeUrl: string;
  readonly codeRoot: string;
}

/** What an event or a session says it ran; both may be empty. */
export interface Revision {
  readonly release: string;
  readonly commit: string;
}

/** The line of a frame in the repository; undefined where its file there is not known. */
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

/** The commit of a release, else the tag of its name; undefined where the form of the address does not say how to show it. */
export function releaseAddress({ codeUrl }: CodePlace, { release, commit }: Revision): string | undefined {
  const [fixed = ""] = codeUrl.split("{", 1);
  for (const { repository, commits, tags } of forms) {
    const [, base] = repository.exec(fixed) ?? [];
    if (base === undefined) continue;
    if (commit !== "") return base + commits + commit;
    const tag = encoded(release);
    // Where lines are not shown at the release, nothing says that there is a tag of its name.
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

/** A path as it stands in an address; undefined for one of which a browser or a server would make another. */
function encoded(path = ""): string | undefined {
  const parts = path.split("/");
  const isPlain = parts.every((part) => part !== "" && part !== "." && part !== "..");
  if (!isPlain || /[\p{C}\\]|%[\da-f]{2}/iu.test(path)) return undefined;
  return parts.map(encodeURIComponent).join("/");
}
