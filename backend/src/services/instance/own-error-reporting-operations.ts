import {
  choice,
  count,
  flag,
  flagParam,
  numberParam,
  single,
  operation,
  orNull,
  positive,
  present,
  shape,
  text,
  textParam,
} from "@faultline/plugin/rest";
import { ExternalVersionSourceSchema, InstanceService, wordOf, words, type OwnErrorReporting } from "@faultline/proto";

const tag = "Installation";
const { method } = InstanceService;

const reporting = shape<OwnErrorReporting>("OwnErrorReporting", "Where this installation reports its own failures.", {
  enabled: [flag("Reports are sent."), ({ enabled }) => enabled],
  dsn: [orNull(text("Where to, with a masked key.")), ({ dsn }) => dsn || null],
  environment: [text("The environment they carry."), ({ environment }) => environment],
  external_version: [
    orNull(text("The version of the system behind the DSN, as it was given.")),
    ({ externalVersion }) => externalVersion || null,
  ],
  external_version_source: [
    orNull(
      choice(
        "Where the version that counts comes from: the system was `asked` and reports it, it does not and it was `typed`, it is `unknown`, or the rule is not about the system (`exempt`), which is Faultline or cloud-hosted.",
        Object.keys(words(ExternalVersionSourceSchema)),
      ),
    ),
    ({ externalVersionSource }) => wordOf(ExternalVersionSourceSchema, externalVersionSource) ?? null,
  ],
  external_version_notice: [
    orNull(text("What to know about the version that counts.")),
    ({ externalVersionNotice }) => externalVersionNotice || null,
  ],
  asked_version: [
    orNull(text("The version that the system reported when it was last asked.")),
    ({ askedVersion }) => askedVersion || null,
  ],
  suggested_project_id: [
    orNull(positive("A project of this installation that offers itself.")),
    ({ suggestedProjectId }) => suggestedProjectId || null,
  ],
  suggested_project_path: [orNull(text("Its path.")), ({ suggestedProjectPath }) => suggestedProjectPath || null],
  reported_count: [count("Reports since the start."), ({ reportedCount }) => Number(reportedCount)],
  left_out_count: [count("Reports left out since the start."), ({ leftOutCount }) => Number(leftOutCount)],
});

const answer = single(200, "Where failures are reported.", reporting);

export const getOwnErrorReporting = operation(method.getOwnErrorReporting, "GET /application/error_reporting", {
  tag,
  summary: "Read where the installation reports its own failures",
  answer,
  run: async ({ invoke }) => present((await invoke({})).ownErrorReporting),
});

export const updateOwnErrorReporting = operation(method.updateOwnErrorReporting, "PUT /application/error_reporting", {
  tag,
  summary: "Set where the installation reports its own failures",
  more: "Omitted fields keep their values. The system behind the DSN is asked for its version, within three seconds: what it reports counts more than `external_version`, and a version before 21.5.0 is refused from platform release 17.0 on.",
  params: {
    enabled: flagParam("Send reports."),
    dsn: textParam("Where to; empty removes it.", { maxLength: 1024 }),
    project_id: numberParam("The newest DSN of this project instead."),
    environment: textParam("The environment they carry.", { maxLength: 64 }),
    external_version: textParam(
      "The version of the system behind the DSN, such as `24.1.0`, if the system does not report it itself.",
      { maxLength: 64 },
    ),
  },
  answer,
  refuses: [404],
  async run({ params, invoke }) {
    const { enabled, dsn, project_id: projectId, environment, external_version: externalVersion } = params;
    const changed = await invoke({ enabled, dsn, projectId, environment, externalVersion });
    return present(changed.ownErrorReporting);
  },
});
