import { millisecondsOf } from "@faultline/plugin";
import type { ListErrorsResponse, Project } from "@faultline/proto";

/** What a command says beside its answer on standard error, by the id of its operation. */
export function notesOf(id: string, response: object, project: Partial<Project> | undefined): string[] {
  if (id === "listErrors") return notesOfSearch(response as ListErrorsResponse);
  const keys = project?.capabilities?.clientKeys;
  return id === "listClientKeys" && keys?.allowed === false ? [keys.reason] : [];
}

function notesOfSearch({
  examinedCount,
  searchedToTime,
  searchedErrorId,
  event,
  searchHints,
}: ListErrorsResponse): string[] {
  const errorId = searchedErrorId || (event?.errorId ?? "");
  const back = searchedToTime ? `, back to ${new Date(millisecondsOf(searchedToTime)).toISOString()}` : "";
  return [
    ...(examinedCount > 0 ? [`${examinedCount} errors were examined${back}. There are more.`] : []),
    ...(errorId === "" ? [] : [`The search names the error ${errorId}.`]),
    ...searchHints.map(({ text }) => text),
  ];
}
