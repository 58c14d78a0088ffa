import { bodyOf, operation, single } from "@faultline/plugin/rest";
import { InstanceSchema, InstanceService } from "@faultline/proto";

const metadata = bodyOf(
  InstanceSchema,
  { offering: { schema: { enum: ["hosted", "self_managed", "dedicated"] } } },
  {
    name: "Metadata",
    description: "What is offered here.",
    further: {
      revision: [{ type: "null", description: "Here for clients of the original." }, () => null],
      enterprise: [{ type: "boolean", const: false, description: "Here for clients of the original." }, () => false],
    },
  },
);

function readingAt(route: `GET /${string}`, words: { readonly id: string; readonly more?: string }) {
  return operation(InstanceService.method.getInstance, route, {
    ...words,
    tag: "Installation",
    summary: "Read what is offered here",
    answer: single(200, "What is offered.", metadata),
  });
}

export const getMetadata = readingAt("GET /metadata", { id: "getMetadata" });
export const getVersion = readingAt("GET /version", { id: "getVersion", more: "As /metadata." });
