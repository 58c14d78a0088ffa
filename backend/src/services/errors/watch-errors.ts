import type { MessageInitShape } from "@bufbuild/protobuf";
import { millisecondsOf, type BackendCall, type ErrorBackend } from "@faultline/plugin";
import { ErrorService, type WatchErrorsRequest, type WatchErrorsResponseSchema } from "@faultline/proto";
import type { ChangeStream } from "../../host/changes/change-stream.ts";
import { notSupported } from "./forwarded.ts";

/** Streams the errors of a project as they change. Refuses where the backend does not publish all changes. */
export async function* watchErrors(
  { changes, backend }: { changes: ChangeStream; backend: ErrorBackend },
  { projectId, sinceTime, hourlyCounts }: WatchErrorsRequest,
  call: BackendCall,
): AsyncGenerator<MessageInitShape<typeof WatchErrorsResponseSchema>> {
  if (!backend.changedErrors) throw notSupported(ErrorService.method.watchErrors, backend);
  const signal = call.signal ?? new AbortController().signal;
  for await (const { keys, more } of changes.of(projectId, signal, sinceTime && millisecondsOf(sinceTime))) {
    const errors = keys.size === 0 ? [] : await backend.changedErrors({ projectId, keys, hourlyCounts }, call);
    yield { errors, more };
  }
}
