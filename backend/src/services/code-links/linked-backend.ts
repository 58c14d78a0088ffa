import { create } from "@bufbuild/protobuf";
import type { ErrorBackend } from "@faultline/plugin";
import {
  ErrorSchema,
  GetErrorResponseSchema,
  GetEventResponseSchema,
  ListErrorsResponseSchema,
  ListReleasesResponseSchema,
  UpdateErrorsResponseSchema,
  type Error as TrackedError,
  type Event,
  type Frame,
  type Release,
} from "@faultline/proto";
import { frameAddress, releaseAddress, type CodePlace } from "./addresses.ts";

/** A project's backend with links to the project's code in its answers, in the same way for every backend. */
export function linkedBackend(backend: ErrorBackend, place: CodePlace): ErrorBackend {
  if (place.codeUrl === "") return backend;
  const errorsOf = (errors: readonly TrackedError[]) => errors.map((error) => linkedError(place, error));
  return {
    kind: backend.kind,
    capabilities: backend.capabilities,
    async listErrors(...asked) {
      const answer = create(ListErrorsResponseSchema, await backend.listErrors(...asked));
      return { ...answer, errors: errorsOf(answer.errors) };
    },
    async getError(...asked) {
      const answer = create(GetErrorResponseSchema, await backend.getError(...asked));
      return answer.error ? { ...answer, error: linkedError(place, answer.error) } : answer;
    },
    async updateErrors(...asked) {
      const answer = create(UpdateErrorsResponseSchema, await backend.updateErrors(...asked));
      return { ...answer, errors: errorsOf(answer.errors) };
    },
    ...(backend.getErrorCount && { getErrorCount: backend.getErrorCount }),
    ...(backend.updateMatchingErrors && { updateMatchingErrors: backend.updateMatchingErrors }),
    listEvents: (...asked) => backend.listEvents(...asked),
    async getEvent(...asked) {
      const answer = create(GetEventResponseSchema, await backend.getEvent(...asked));
      return answer.event ? { ...answer, event: linkedEvent(place, answer.event) } : answer;
    },
    getErrorStats: (...asked) => backend.getErrorStats(...asked),
    getErrorBreakdown: (...asked) => backend.getErrorBreakdown(...asked),
    ...(backend.changedErrors && {
      async changedErrors(...asked) {
        const errors = (await backend.changedErrors?.(...asked)) ?? [];
        return errorsOf(errors.map((error) => create(ErrorSchema, error)));
      },
    }),
    async listReleases(...asked) {
      const answer = create(ListReleasesResponseSchema, await backend.listReleases(...asked));
      return { ...answer, releases: answer.releases.map((release) => linkedRelease(place, release)) };
    },
    ...(backend.deletions && { deletions: backend.deletions }),
    getSessionStats: (...asked) => backend.getSessionStats(...asked),
  };
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
