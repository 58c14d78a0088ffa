import { pathParts, sharedSuffix } from "./shared-suffix.ts";

/** The fields of a frame by which its file is found. */
export interface SuspectFrame {
  readonly filename: string;
  readonly absPath: string;
  readonly module: string;
  readonly function: string;
  readonly lineno: number;
}

/** A commit with the paths that it changed. */
export interface ChangingCommit {
  readonly paths: readonly string[];
}

/** A commit that changed files of frames: which, and how suspect it is. */
export interface Suspect<Commit> {
  readonly commit: Commit;
  readonly score: number;
  /** The changed file of the frame nearest to the failure, and that frame. */
  readonly path: string;
  readonly frame: SuspectFrame;
}

/** Frames with a changed file that count: the first counts 5, the last 1 (triage.md 9). */
const countedFrames = 5;

/**
 * The commits that changed files of frames, the most suspect first; equally suspect ones keep their order. `frames`: those of
 * the application, the one nearest to the failure first.
 */
export function rankCommits<Commit extends ChangingCommit>(
  frames: readonly SuspectFrame[],
  commits: readonly Commit[],
): Suspect<Commit>[] {
  const changes = filesByName(commits);
  const suspects = new Map<Commit, Suspect<Commit>>();
  let weight = countedFrames;
  for (const frame of frames) {
    if (weight === 0) break;
    const match = bestMatch(frame, changes);
    if (!match) continue;
    for (const commit of match.commits) {
      const { score, path, frame: nearest } = suspects.get(commit) ?? { score: 0, path: match.path, frame };
      suspects.set(commit, { commit, score: score + weight, path, frame: nearest });
    }
    weight -= 1;
  }
  return [...suspects.values()].toSorted((one, other) => other.score - one.score);
}

interface ChangedFile<Commit> {
  readonly path: string;
  readonly parts: readonly string[];
  readonly commits: Commit[];
}

/** The changed files by the last part of their path, so that a frame is compared with those of its name alone. */
function filesByName<Commit extends ChangingCommit>(
  commits: readonly Commit[],
): ReadonlyMap<string, readonly ChangedFile<Commit>[]> {
  const files = new Map<string, ChangedFile<Commit>>();
  for (const commit of commits) {
    for (const path of new Set(commit.paths)) {
      const file = files.get(path) ?? { path, parts: pathParts(path), commits: [] };
      file.commits.push(commit);
      files.set(path, file);
    }
  }
  return Map.groupBy(files.values(), ({ parts }) => parts.at(-1) ?? "");
}

/** The changed file with the longest end in common with a path of the frame; undefined: none. */
function bestMatch<Commit>(
  frame: SuspectFrame,
  changes: ReadonlyMap<string, readonly ChangedFile<Commit>[]>,
): ChangedFile<Commit> | undefined {
  let best: { readonly shared: number; readonly file: ChangedFile<Commit> } | undefined;
  for (const parts of pathsOfFrame(frame)) {
    for (const file of changes.get(parts.at(-1) ?? "") ?? []) {
      const shared = sharedSuffix(parts, file.parts);
      if (shared > (best?.shared ?? 0)) best = { shared, file };
    }
  }
  return best?.file;
}

/** A frame's paths: both that it may have, and for classes the one that their package makes. */
function pathsOfFrame({ filename, absPath, module }: SuspectFrame): string[][] {
  const packages = ofClass.test(filename) ? [...module.split(".").slice(0, -1), filename].join("/") : "";
  return [absPath, filename, packages].map(pathParts).filter(({ length }) => length > 0);
}

/** A file without a directory whose frames name a class. */
const ofClass = /^[^/]+\.(?:java|kt|scala|groovy)$/;
