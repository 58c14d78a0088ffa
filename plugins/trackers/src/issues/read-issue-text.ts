import { type Host, projectPath, readErrors, ServiceError } from "@faultline/plugin";
import { ErrorReason, ErrorService, EventPosition, type Event } from "@faultline/proto";
import { projectPlace } from "@faultline/plugin/text";
import { issueText, type IssueText } from "../issue-text.ts";
import type { OfError } from "./issue.ts";

/** The methods that trackers need beside those of signals. */
export const trackerCalls = [ErrorService.method.getEvent, ErrorService.method.updateErrors];

/** The service with the address of its console, for links. */
export interface Console {
  readonly host: Host;
  readonly baseUrl: () => string;
}

/** The text of an error's issue. Refuses an error that is not there. */
export async function readIssueText({ host, baseUrl }: Console, of: OfError, mark: string): Promise<IssueText> {
  const { projectId, errorId } = of;
  const error = (await readErrors(host, { projectId, errorIds: [errorId] })).get(errorId);
  if (!error) throw new ServiceError(ErrorReason.ERROR_NOT_FOUND, "This error does not exist in this project.");
  const path = (await projectPath(host, projectId)) ?? String(projectId);
  const event = mark === "" ? undefined : await newestEvent(host, of);
  return issueText(error, event, { project: projectPlace(path, baseUrl()), mark });
}

/** Undefined: none is kept, or the project's backend does not return it now. */
async function newestEvent({ invoke }: Host, of: OfError): Promise<Event | undefined> {
  try {
    const request = { ...of, position: EventPosition.NEWEST };
    return (await invoke(ErrorService.method.getEvent, request)).event;
  } catch (refusal) {
    if (refusal instanceof ServiceError) return undefined;
    throw refusal;
  }
}
