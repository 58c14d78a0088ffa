import { Backend, ExternalProjectSchema, type UpdateSettingsRequestSchema } from "@faultline/proto";
import type { MessageInitShape } from "@bufbuild/protobuf";
import { InvalidArgumentError, Option, type Command } from "commander";
import { getClientKeyTraffic } from "../services/client-keys/client-key-operations.ts";
import { getSettings } from "../services/settings/settings-operations.ts";
import { messageBody } from "./derived/methods.ts";
import { call, written } from "./operations.ts";
import { CommandFault, print, progress, wholeNumber } from "./output.ts";
import { onProject, type Service } from "./service.ts";

const backends = { integrated: Backend.INTEGRATED, external: Backend.EXTERNAL } as const;

const apiUrlHelp = "Address of the external system; FAULTLINE_EXTERNAL_TOKEN holds the auth token for it";

/** `faultline settings set` and `external-projects` */
export function settingsCommands(settings: Command): void {
  settings
    .command("set <project>")
    .description("Save the given settings, leave the others as they are, and show the result with its DSN")
    .option("--active", "Turn error tracking on")
    .option("--no-active", "Turn error tracking off")
    .addOption(new Option("--backend <backend>", "Where errors are stored").choices(Object.keys(backends)))
    .option("--api-url <url>", apiUrlHelp)
    .addOption(
      new Option(
        "--external-project <organization/project>",
        "The external project to link, by its slugs: see external-projects",
      ).argParser(externalProject),
    )
    .action((named: string, options: SetOptions) => {
      const { active, backend, apiUrl, externalProject: linked } = options;
      if ([active, backend, apiUrl, linked].every((value) => value === undefined)) {
        throw new CommandFault(
          "There is nothing to save. Give --active, --no-active, --backend, --api-url or --external-project; FAULTLINE_EXTERNAL_TOKEN is saved along with --api-url.",
        );
      }
      return save(named, options);
    });

  settings
    .command("external-projects <project>")
    .description("Test the connection to the external system and list the projects that can be linked")
    .option("--api-url <url>", `${apiUrlHelp}; the stored address and token if not given`)
    .action(
      onProject(async (service, { projectId }, { apiUrl }: { apiUrl?: string }) => {
        const asked = { projectId, ...external(service, apiUrl) };
        const { externalProjects, warnings } = await service.settings.listExternalProjects(asked, service.call);
        for (const warning of warnings) progress(warning);
        print(externalProjects.map((project) => messageBody(ExternalProjectSchema, project)));
      }),
    );
}

/** `faultline keys traffic`, which takes any number of hours, while REST has periods. */
export function clientKeyCommands(keys: Command): void {
  keys
    .command("traffic <project> <key>")
    .description("Show what was sent with a key by hour, what was refused, and the networks that sent most")
    .option("--hours <number>", "How many hours, up to and with the running hour", wholeNumber, 24)
    .action(
      onProject(async (service, project, key: string, { hours: hourCount }: { hours: number }) => {
        const keyId = wholeNumber(key);
        const { projectId } = project;
        const read = () => service.clientKeys.getClientKeyTraffic({ projectId, keyId, hourCount }, service.call);
        print((await call(service, getClientKeyTraffic, { project, path: { key_id: key } }, read)).body);
      }),
    );
}

const save = onProject(async (service, { projectId }, options: SetOptions) => {
  const { active, backend, apiUrl, externalProject: linked } = options;
  const changes: Changes = {
    ...(active !== undefined && { active }),
    ...(backend && { backend: backends[backend] }),
    ...external(service, apiUrl),
    ...(linked && { externalProject: linked }),
  };
  const { settings } = await service.settings.updateSettings({ projectId, ...changes }, service.call);
  print(await written(service, getSettings, { settings }));
});

/** A token is sent together with its address, and never to an address that somebody else has stored meanwhile. */
function external({ externalToken }: Service, apiUrl: string | undefined) {
  if (apiUrl === undefined) return {};
  return { externalApiUrl: apiUrl, ...(externalToken !== undefined && { externalAuthToken: externalToken }) };
}

function externalProject(text: string): SetOptions["externalProject"] {
  const [organizationSlug, slug, ...more] = text.split("/");
  if (!organizationSlug || !slug || more.length > 0) throw new InvalidArgumentError("It must look like acme/web.");
  return { organizationSlug, slug };
}

type Changes = Omit<MessageInitShape<typeof UpdateSettingsRequestSchema>, "$typeName" | "projectId">;

interface SetOptions {
  readonly active?: boolean;
  readonly backend?: keyof typeof backends;
  readonly apiUrl?: string;
  readonly externalProject?: { readonly organizationSlug: string; readonly slug: string };
}
