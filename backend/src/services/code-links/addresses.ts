import { codeRepository } from "@faultline/plugin";
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
  const repository = codeRepository(codeUrl);
  if (!repository) return undefined;
  if (commit !== "") return repository.commits + commit;
  const tag = encoded(release);
  // Where lines are not shown at the release, there may be no tag of its name.
  return tag !== undefined && codeUrl.includes("{revision}") ? repository.tags + tag : undefined;
}

/** A path encoded for an address; undefined when a browser or a server would resolve it to another. */
function encoded(path = ""): string | undefined {
  const parts = path.split("/");
  const isPlain = parts.every((part) => part !== "" && part !== "." && part !== "..");
  if (!isPlain || /[\p{C}\\]|%[\da-f]{2}/iu.test(path)) return undefined;
  return parts.map(encodeURIComponent).join("/");
}
