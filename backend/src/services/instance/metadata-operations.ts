import { choice, operation, present, shape, single, text } from "@faultline/plugin/rest";
import { InstanceService, type Instance } from "@faultline/proto";

const metadata = shape<Instance>("Metadata", "What is offered here.", {
  version: [text("The version of Faultline."), ({ version }) => version],
  revision: [{ type: "null", description: "Here for clients of the original." }, () => null],
  enterprise: [{ type: "boolean", const: false, description: "Here for clients of the original." }, () => false],
  platform_release: [
    text("The release of the platform that this installation stands for, such as `18.0`."),
    ({ platformRelease }) => platformRelease,
  ],
  offering: [choice("The offering.", ["hosted", "self_managed", "dedicated"]), ({ offering }) => offering],
  base_url: [text("The address people use."), ({ baseUrl }) => baseUrl],
});

function readingAt(route: `GET /${string}`, words: { readonly id: string; readonly more?: string }) {
  return operation(InstanceService.method.getInstance, route, {
    ...words,
    tag: "Installation",
    summary: "Read what is offered here",
    answer: single(200, "What is offered.", metadata),
    run: async ({ invoke }) => present((await invoke({})).instance),
  });
}

export const getMetadata = readingAt("GET /metadata", { id: "getMetadata" });
export const getVersion = readingAt("GET /version", { id: "getVersion", more: "As /metadata." });
