import type { MessageInitShape } from "@bufbuild/protobuf";
import { millisecondsOf, ServiceError, type BackendCall, type ErrorBackend } from "@faultline/plugin";
import { ErrorReason, type WatchErrorsRequest, type WatchErrorsResponseSchema } from "@faultline/proto";
import type { ChangeStream } from "../../host/changes/change-stream.ts";

/** Streams the errors of a project as they change. Refuses where the backend does not publish all changes. */
export async function* watchErrors(
  { changes, backend }: { changes: ChangeStream; backend: ErrorBackend },
  { projectId, sinceTime, hourlyCounts }: WatchErrorsRequest,
  call: BackendCall,
): AsyncGenerator<MessageInitShape<typeof WatchErrorsResponseSchema>> {
  if (!backend.changedErrors) {
    throw new ServiceError(ErrorReason.NOT_SUPPORTED_BY_BACKEND, backend.capabilities.watch?.reason ?? "");
  }
  const signal = call.signal ?? new AbortController().signal;
  for await (const { keys, more } of changes.of(projectId, signal, sinceTime && millisecondsOf(sinceTime))) {
    const errors = keys.size === 0 ? [] : await backend.changedErrors({ projectId, keys, hourlyCounts }, call);
    yield { errors, more };
  }
}
