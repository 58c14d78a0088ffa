import type { Frame, Project } from "./messages.ts";

/*
 * Addresses of the code in its repository. What is filled in comes from whoever can send an event: each part of a path is
 * encoded, and one that could lead out of the repository makes no link at all.
 */

/** Where the code of a project is. */
export type CodePlace = Pick<Project, "codeUrl" | "codeRoot">;

/** What an event or a session says it ran; both may be empty. */
export interface Revision {
  readonly release: string;
  readonly commit: string;
}

type CodeFrame = Pick<Frame, "filename" | "absPath" | "module" | "lineno" | "inApp">;

/** The line of a frame; undefined for one that is not the application's, or whose file in the repository is not known. */
export function frameAddress(place: CodePlace, frame: CodeFrame, { release, commit }: Revision): string | undefined {
  if (place.codeUrl === "" || !frame.inApp || frame.lineno === 0) return undefined;
  const path = encoded(repositoryPath(frame, place.codeRoot));
  const revision = encoded(commit || release || "HEAD");
  if (path === undefined || revision === undefined) return undefined;
  const values: Record<string, string> = { path, revision, line: String(frame.lineno) };
  return place.codeUrl.replaceAll(/\{(\w+)\}/g, (_, name: string) => values[name] ?? "");
}

/** The commit of a release, else the tag of its name, where the form of the address says how they are shown. */
export function releaseAddress({ codeUrl }: CodePlace, { release, commit }: Revision): string | undefined {
  const [fixed = ""] = codeUrl.split("{", 1);
  for (const { repository, commits, tags } of hosts) {
    const [, base] = repository.exec(fixed) ?? [];
    if (base === undefined) continue;
    if (commit !== "") return base + commits + commit;
    const tag = encoded(release || undefined);
    // Where frames are not shown at the release, nothing says that there is a tag of its name.
    return tag !== undefined && codeUrl.includes("{revision}") ? base + tags + tag : undefined;
  }
  return undefined;
}

/** A commit as it is shown. */
export const commitName = (commit: string) => `commit ${commit.slice(0, 10)}`;

/** GitLab; Bitbucket Cloud; Gitea and Forgejo; GitHub. The others are not linked. */
const hosts = [
  { repository: /^(.+?)\/-\/(?:blob|blame|tree|raw)\//, commits: "/-/commit/", tags: "/-/tags/" },
  { repository: /^(https:\/\/bitbucket\.org\/[^/]+\/[^/]+)\/src\//, commits: "/commits/", tags: "/commits/tag/" },
  {
    repository: /^(\w+:\/\/[^/]+(?:\/[^/]+){2,3})\/src\/(?:commit|branch|tag)\//,
    commits: "/commit/",
    tags: "/src/tag/",
  },
  { repository: /^(\w+:\/\/[^/]+\/[^/]+\/[^/]+)\/(?:blob|blame)\//, commits: "/commit/", tags: "/releases/tag/" },
];

/**
 * The path of a frame's file in the repository. SDKs send it in full (Node, Go), relative (Python, Ruby), as a name with
 * a module (Java), or as a name with a full path beside it (Rust): what the root stands in front of is certain.
 */
function repositoryPath({ filename, absPath, module }: CodeFrame, root: string): string | undefined {
  const paths = [absPath, filename].map((path) => path.replaceAll("\\", "/"));
  const inRoot = root === "" ? undefined : paths.find((path) => path.startsWith(root));
  if (inRoot !== undefined) return inRoot.slice(root.length);
  const [full = "", name = ""] = paths;
  if (isRelative(full)) return full;
  if (!isRelative(name) || (root !== "" && full !== "")) return undefined;
  const directory = module.split(".").slice(0, -1).join("/");
  return directory !== "" && /^[^/]+\.(?:java|kt|scala|groovy)$/.test(name) ? `${directory}/${name}` : name;
}

/** Neither empty nor full, nor with a scheme or drive, nor `<anonymous>` or `[native code]`. */
const isRelative = (path: string) => /^(?![a-z][\w+.-]*:|\[[^/]*\]$)[^/<]/i.test(path);

/** Packages that are not in the repository, though some SDKs call their frames the application's. */
const foreign = /(?:^|\/)(?:node_modules|site-packages|dist-packages)\/|^internal\/.*\.js$/;

/** A path as it stands in an address; undefined for one that is not plain, of which browsers or servers make another. */
function encoded(path: string | undefined): string | undefined {
  const parts = path?.replace(/^(?:\.\/)+/, "").split("/");
  if (path === undefined || foreign.test(path) || /[\p{C}<>\\]|%[\da-f]{2}/iu.test(path)) return undefined;
  if (parts?.some((part) => part === "" || part === "." || part === "..")) return undefined;
  return parts?.map(encodeURIComponent).join("/");
}
