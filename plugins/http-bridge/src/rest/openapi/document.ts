import type { LeastRole } from "@faultline/plugin";
import type { RestOperation } from "@faultline/plugin/rest";
import { inPathOrder } from "../../addresses.ts";
import { Components } from "./document-schema.ts";
import { operationObject, type OperationObject } from "./operation-object.ts";
import { headers, refusalResponses } from "./responses.ts";

type PathItem = Readonly<Record<string, OperationObject>>;

export type OpenApiDocument = ReturnType<typeof openApiDocument>;

/**
 * The REST API as an OpenAPI 3.1 document. It contains nothing specific to this installation, so everybody may read it.
 */
export function openApiDocument(
  operations: readonly RestOperation[],
  leastRole: (method: RestOperation["method"]) => LeastRole,
) {
  const components = new Components();
  const paths: Record<string, PathItem> = {};
  for (const operation of inPathOrder(operations)) {
    const path = operation.path.replace(/:(\w+)/g, "{$1}");
    const described = operationObject(operation, leastRole(operation.method), components);
    paths[path] = { ...paths[path], [operation.verb.toLowerCase()]: described };
  }
  const responses = refusalResponses(components);
  return {
    openapi: "3.1.0",
    info: {
      title: "Faultline REST API",
      version: "v4",
      description:
        "Send parameters in the query, in a form (multipart too), or as JSON. In a query or form, write a list as " +
        "`ids[]=1&ids[]=2` and a field of an object as `fields[url]=...`. A call that deletes, or that changes something GitLab " +
        "does not have, refuses unknown parameters. Other calls ignore them, because clients of GitLab send more. " +
        "Every address that answers GET answers HEAD. A call about something you may not see gets the answer for something that does not exist.",
      license: { name: "MIT", identifier: "MIT" },
    },
    servers: [{ url: "/api/v4", description: "The address this document came from." }],
    security: [{ privateToken: [] }, { bearer: [] }],
    tags: [...new Set(operations.map(({ tag }) => tag))].map((name) => ({ name })),
    paths,
    components: {
      schemas: components.schemas,
      responses,
      headers,
      securitySchemes: {
        privateToken: {
          type: "apiKey",
          in: "header",
          name: "PRIVATE-TOKEN",
          description:
            "`PRIVATE-TOKEN: <token>`: a personal access token. Create one in the console, under Personal access tokens.",
        },
        bearer: {
          type: "http",
          scheme: "bearer",
          description: "`Authorization: Bearer <token>`: the same token in another header.",
        },
      },
    },
  } as const;
}
