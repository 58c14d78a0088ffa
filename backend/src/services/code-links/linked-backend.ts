import { create } from "@bufbuild/protobuf";
import type { ErrorBackend, ShowEvent } from "@faultline/plugin";
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
} from "@faultline/proto";
import { namedError } from "../errors/named-error.ts";
import { namedErrorId, shortIdOf } from "../errors/short-id.ts";
import { frameAddress, releaseAddress, type CodePlace } from "./addresses.ts";

/**
 * A project's backend with links to the project's code in its answers, in the same way for every backend, and with the
 * short ids of errors, by which it also finds them: an external system has its own. `show` changes events before that. All
 * methods that are not named here are the backend's.
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
  // The target is empty, because a proxy may not return other methods than a frozen target has.
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

/** Only the application's own code is in its repository. */
function linkedFrame(place: CodePlace, frame: Frame, event: Event): Frame {
  return frame.inApp && frame.lineno > 0 ? { ...frame, codeUrl: frameAddress(place, frame, event) ?? "" } : frame;
}
