import { bodyOf, operation, paramsOf, single } from "@faultline/plugin/rest";
import { InstanceService, OwnErrorReportingSchema } from "@faultline/proto";

const tag = "Installation";
const { method } = InstanceService;

const reporting = bodyOf(OwnErrorReportingSchema, {
  dsn: null,
  externalVersion: null,
  externalVersionSource: null,
  externalVersionNotice: null,
  askedVersion: null,
  suggestedProjectId: null,
  suggestedProjectPath: null,
});

const answer = single(200, "Where failures are reported.", reporting);

export const getOwnErrorReporting = operation(method.getOwnErrorReporting, "GET /application/error_reporting", {
  tag,
  summary: "Read where the installation reports its own failures",
  answer,
});

export const updateOwnErrorReporting = operation(method.updateOwnErrorReporting, "PUT /application/error_reporting", {
  tag,
  summary: "Set where the installation reports its own failures",
  more: "Omitted fields keep their values. The system behind the DSN is asked for its version, within three seconds: what it reports counts more than `external_version`, and a version before 21.5.0 is refused from platform release 17.0 on.",
  params: paramsOf(method.updateOwnErrorReporting.input, {
    dsn: { maxLength: 1024 },
    environment: { maxLength: 64 },
    externalVersion: { maxLength: 64 },
  }),
  answer,
  refuses: [404],
});
