import { create } from "@bufbuild/protobuf";
import {
  ExternalVersionSource,
  GetOwnErrorReportingRequestSchema,
  UpdateOwnErrorReportingRequestSchema,
  type OwnErrorReporting,
} from "@faultline/proto";
import { booleanParam, numberParam, textParam } from "../params.ts";
import type { Operation } from "../rest.ts";

export const getOwnErrorReporting: Operation = async ({ visit, call }) => {
  const request = create(GetOwnErrorReportingRequestSchema);
  const { ownErrorReporting } = await visit.host.core.instance.getOwnErrorReporting(request, call);
  return { status: 200, body: reportingBody(ownErrorReporting as OwnErrorReporting) };
};

/** Changes what is given. */
export const updateOwnErrorReporting: Operation = async ({ visit, call, params }) => {
  const enabled = booleanParam(params, "enabled");
  const dsn = textParam(params, "dsn");
  const projectId = numberParam(params, "project_id");
  const environment = textParam(params, "environment");
  const externalVersion = textParam(params, "external_version");
  const request = create(UpdateOwnErrorReportingRequestSchema, {
    ...(enabled !== undefined && { enabled }),
    ...(dsn !== undefined && { dsn }),
    ...(projectId !== undefined && { projectId }),
    ...(environment !== undefined && { environment }),
    ...(externalVersion !== undefined && { externalVersion }),
  });
  const { ownErrorReporting } = await visit.host.core.instance.updateOwnErrorReporting(request, call);
  return { status: 200, body: reportingBody(ownErrorReporting as OwnErrorReporting) };
};

const sources: Readonly<Record<ExternalVersionSource, string | null>> = {
  [ExternalVersionSource.UNSPECIFIED]: null,
  [ExternalVersionSource.ASKED]: "asked",
  [ExternalVersionSource.TYPED]: "typed",
  [ExternalVersionSource.UNKNOWN]: "unknown",
  [ExternalVersionSource.EXEMPT]: "exempt",
};

function reportingBody(reporting: OwnErrorReporting): object {
  return {
    enabled: reporting.enabled,
    dsn: reporting.dsn || null,
    environment: reporting.environment,
    external_version: reporting.externalVersion || null,
    external_version_source: sources[reporting.externalVersionSource],
    external_version_notice: reporting.externalVersionNotice || null,
    asked_version: reporting.askedVersion || null,
    suggested_project_id: reporting.suggestedProjectId || null,
    suggested_project_path: reporting.suggestedProjectPath || null,
    reported_count: Number(reporting.reportedCount),
    left_out_count: Number(reporting.leftOutCount),
  };
}
