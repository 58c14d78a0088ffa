import { create, type MessageInitShape } from "@bufbuild/protobuf";
import {
  type ErrorBackend,
  type ShowEvent,
  codeRepository,
  onlyError,
  ServiceError,
  type BackendCall,
} from "@faultline/plugin";
import {
  Backend,
  ErrorSchema,
  GetErrorResponseSchema,
  GetErrorsResponseSchema,
  GetEventResponseSchema,
  ListErrorsResponseSchema,
  ListReleasesResponseSchema,
  UpdateErrorsResponseSchema,
  type Error as TrackedError,
  type Event,
  type Frame,
  type Release,
  ErrorReason,
  GetErrorRequestSchema,
  type ListErrorsRequest,
} from "@faultline/proto";

/**
 * Wraps a project's backend to add links to the project's code to its answers, and to add short ids of errors and find
 * errors by them. An external system has its own short ids. `show` changes events first. All other methods are the
 * backend's.
 */
export function linkedBackend(
  backend: ErrorBackend,
  place: CodePlace & { readonly path: string },
  show: readonly ShowEvent[] = [],
): ErrorBackend {
  const path = backend.kind === Backend.INTEGRATED ? place.path : undefined;
  const errorOf = (error: TrackedError) => {
    const named = path === undefined ? error : { ...error, shortId: shortIdOf(path, error.errorId) };
    return place.codeUrl === "" ? named : linkedError(place, named);
  };
  const linked: Partial<ErrorBackend> = {
    async listErrors(request, call) {
      const errorId = request.pageToken === "" ? namedErrorId(request.query, path) : undefined;
      const named = errorId === undefined ? undefined : await namedError(backend, request, { errorId, call });
      const answer = create(ListErrorsResponseSchema, named ?? (await backend.listErrors(request, call)));
      return { ...answer, errors: answer.errors.map(errorOf) };
    },
    async getError(...asked) {
      const answer = create(GetErrorResponseSchema, await backend.getError(...asked));
      return answer.error ? { ...answer, error: errorOf(answer.error) } : answer;
    },
    async getErrors(...asked) {
      const answer = create(GetErrorsResponseSchema, await backend.getErrors?.(...asked));
      return { ...answer, errors: answer.errors.map(errorOf) };
    },
    async updateErrors(...asked) {
      const answer = create(UpdateErrorsResponseSchema, await backend.updateErrors(...asked));
      return { ...answer, errors: answer.errors.map(errorOf) };
    },
    async getEvent(request, call) {
      const answer = create(GetEventResponseSchema, await backend.getEvent(request, call));
      if (!answer.event) return answer;
      let { event } = answer;
      for (const change of show) event = await change(event, call.signal);
      return { ...answer, event: place.codeUrl === "" ? event : linkedEvent(place, event) };
    },
    async changedErrors(...asked) {
      const errors = (await backend.changedErrors?.(...asked)) ?? [];
      return errors.map((error) => errorOf(create(ErrorSchema, error)));
    },
    async listReleases(...asked) {
      const answer = create(ListReleasesResponseSchema, await backend.listReleases?.(...asked));
      if (place.codeUrl === "") return answer;
      return { ...answer, releases: answer.releases.map((release) => linkedRelease(place, release)) };
    },
  };
  // The target is empty because a proxy may only return the methods of a frozen target.
  return new Proxy({} as ErrorBackend, {
    get(_, name: keyof ErrorBackend) {
      const own: unknown = backend[name];
      if (typeof own !== "function") return own; // undefined if the backend lacks an optional method
      return linked[name] ?? own.bind(backend);
    },
  });
}

function linkedError(place: CodePlace, error: TrackedError): TrackedError {
  const { firstRelease, firstCommit, lastRelease, lastCommit } = error;
  return {
    ...error,
    firstReleaseUrl: releaseAddress(place, { release: firstRelease, commit: firstCommit }) ?? "",
    lastReleaseUrl: releaseAddress(place, { release: lastRelease, commit: lastCommit }) ?? "",
  };
}

function linkedRelease(place: CodePlace, release: Release): Release {
  return { ...release, url: releaseAddress(place, { release: release.version, commit: release.commit }) ?? "" };
}

function linkedEvent(place: CodePlace, event: Event): Event {
  const framesOf = (frames: readonly Frame[]) => frames.map((frame) => linkedFrame(place, frame, event));
  return {
    ...event,
    exceptions: event.exceptions.map((exception) => ({ ...exception, frames: framesOf(exception.frames) })),
    threads: event.threads.map((thread) => ({ ...thread, frames: framesOf(thread.frames) })),
  };
}

/** Links a frame, if it is the application's own: no other code is in its repository. */
function linkedFrame(place: CodePlace, frame: Frame, event: Event): Frame {
  return frame.inApp && frame.lineno > 0 ? { ...frame, codeUrl: frameAddress(place, frame, event) ?? "" } : frame;
}

// The values come from anybody who can send an event: each part of a path is encoded, and a path that could lead out of
// the repository gets no link.

/** The location of a project's code; see Project. */
interface CodePlace {
  readonly codeUrl: string;
  readonly codeRoot: string;
}

/** The release and commit that an event or a session reports; both may be empty. */
interface Revision {
  readonly release: string;
  readonly commit: string;
}

/** The address of a frame's line in the repository; undefined if its file there is unknown. */
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
 * The address of a release's commit, otherwise of the tag with its name; undefined if the form of the address is
 * unknown.
 */
export function releaseAddress({ codeUrl }: CodePlace, { release, commit }: Revision): string | undefined {
  const repository = codeRepository(codeUrl);
  if (!repository) return undefined;
  if (commit !== "") return repository.commits + commit;
  const tag = encoded(release);
  // If lines are not shown at the release, a tag of its name may not exist.
  return tag !== undefined && codeUrl.includes("{revision}") ? repository.tags + tag : undefined;
}

/** A path encoded for an address; undefined if a browser or a server would resolve it to another path. */
function encoded(path = ""): string | undefined {
  const parts = path.split("/");
  const isPlain = parts.every((part) => part !== "" && part !== "." && part !== "..");
  if (!isPlain || /[\p{C}\\]|%[\da-f]{2}/iu.test(path)) return undefined;
  return parts.map(encodeURIComponent).join("/");
}

/** The fields of a frame that name its file; see Frame. */
interface FramePlace {
  readonly filename: string;
  readonly absPath: string;
  readonly module: string;
}

/**
 * The path of a frame's file in the repository; undefined if it is unknown. SDKs send it in full (Node, Go), relative
 * (Python, Ruby), as a name with the class (Java), or as a name with a separate path (Rust, PHP). The part after the
 * root of a full path is certain; the others are used unchanged.
 */
function repositoryPath({ filename, absPath, module }: FramePlace, root: string): string | undefined {
  const [full = "", name = ""] = [absPath, filename].map((path) => path.replaceAll("\\", "/"));
  const inRoot = root === "" ? undefined : [full, name].find((path) => path.startsWith(root));
  if (inRoot !== undefined) return ownFile(inRoot.slice(root.length));
  if (isRelative(full) && full !== name) return ownFile(full);
  const isElsewhere = full !== name && (root !== "" || /^https?:/i.test(full));
  if (isElsewhere || !isRelative(name)) return undefined;
  const directories = module.split(".").slice(0, -1);
  return ownFile(ofClass.test(name) ? [...directories, name].join("/") : name);
}

/** Whether a path is neither empty nor a full path, and has no scheme or drive. */
const isRelative = (path: string) => /^(?!\/|[a-z][\w+.-]*:)./is.test(path);

/** File names without a directory, in frames that also name a class. */
const ofClass = /^[^/]+\.(?:java|kt|scala|groovy)$/;

/** Leaves out files that are not in the repository although some SDKs mark their frames as the application's. */
function ownFile(path: string): string | undefined {
  const file = path.replace(/^(?:\.\/)+/, "");
  return foreign.test(file) ? undefined : file;
}

/** Packages, Node's own modules, and names of no file, such as `<anonymous>` and `[native code]`. */
const foreign = /(?:^|\/)(?:node_modules|site-packages|dist-packages)\/|^internal\/.*\.js$|[<>]|^\[[^/]*\]$/;

/** The error that a search names, as a list; undefined if the project has no such error. */
export async function namedError(
  backend: ErrorBackend,
  { projectId }: ListErrorsRequest,
  { errorId, call }: { errorId: string; call: BackendCall },
): Promise<MessageInitShape<typeof ListErrorsResponseSchema> | undefined> {
  try {
    const request = create(GetErrorRequestSchema, { projectId, errorId });
    const { error, staleSinceTime } = await backend.getError(request, call);
    return error && { ...onlyError(error), staleSinceTime, searchedErrorId: errorId };
  } catch (refusal) {
    if (refusal instanceof ServiceError && refusal.reason === ErrorReason.ERROR_NOT_FOUND) return undefined;
    throw refusal;
  }
}

/** The short id of an error stored here: the last part of the project's path and the error's id, such as `WEB-157`. */
export const shortIdOf = (projectPath: string, errorId: string): string => `${prefixOf(projectPath)}-${errorId}`;

/**
 * The id of the error in a search for a short id (with or without `#`) or for `#` and an id; undefined for any other
 * search. A number alone is text that errors contain, such as 404. `projectPath` is the path of a project with our
 * short ids.
 */
export function namedErrorId(query: string, projectPath: string | undefined): string | undefined {
  const [, hash, prefix, errorId] = /^(#?)(?:([\w.-]+)-)?([1-9]\d{0,14})$/.exec(query.trim()) ?? [];
  if (prefix === undefined) return hash === "#" ? errorId : undefined;
  return projectPath !== undefined && prefix.toUpperCase() === prefixOf(projectPath) ? errorId : undefined;
}

const prefixOf = (projectPath: string) => projectPath.slice(projectPath.lastIndexOf("/") + 1).toUpperCase();
