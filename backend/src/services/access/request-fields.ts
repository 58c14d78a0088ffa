import type { DescMessage, MessageShape } from "@bufbuild/protobuf";
import type {
  GetProjectRequest,
  ReportEventsRequest,
  ReportFeedbackRequest,
  ReportSessionsRequest,
} from "@faultline/proto";

type AnyRequest = MessageShape<DescMessage>;

/** The projects that a request names, by id or path; none for requests without such a field. */
export function projectsNamed(request: AnyRequest): readonly (number | string)[] {
  switch (request.$typeName) {
    case "faultline.v1.GetProjectRequest":
      return [(request as GetProjectRequest).key.value ?? 0];
    case "faultline.v1.ReportEventsRequest":
      return distinctProjects((request as ReportEventsRequest).events);
    case "faultline.v1.ReportFeedbackRequest":
      return distinctProjects((request as ReportFeedbackRequest).feedback);
    case "faultline.v1.ReportSessionsRequest": {
      const { updates, aggregates } = request as ReportSessionsRequest;
      return distinctProjects([...updates, ...aggregates]);
    }
    default:
      if (!namesProject(request)) return [];
      return [request.projectId === 0 && request.projectPath ? request.projectPath : request.projectId];
  }
}

/** Puts the project's id into a request that names the project by its path, so that handlers only read ids. */
export function nameById(request: AnyRequest, { id }: { readonly id: number }): void {
  if (namesProject(request) && request.projectId === 0 && request.projectPath) request.projectId = id;
}

function namesProject(request: AnyRequest): request is AnyRequest & { projectId: number; projectPath?: string } {
  return "projectId" in request && typeof request.projectId === "number";
}

/** The user that a request names; undefined for requests without such a field. */
export function userNamed(request: AnyRequest): number | undefined {
  return "userId" in request && typeof request.userId === "number" ? request.userId : undefined;
}

function distinctProjects(items: readonly { readonly projectId: number }[]): number[] {
  return [...new Set(items.map(({ projectId }) => projectId))];
}
