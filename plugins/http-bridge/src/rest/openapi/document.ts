import type { LeastRole } from "@faultline/plugin";
import type { RestOperation } from "@faultline/plugin/rest";
import { Components } from "./document-schema.ts";
import { operationObject, type OperationObject } from "./operation-object.ts";
import { headers, refusalResponses } from "./responses.ts";

type PathItem = Readonly<Record<string, OperationObject>>;

export type OpenApiDocument = ReturnType<typeof openApiDocument>;

/** The REST API as an OpenAPI 3.1 document. It has nothing specific to this installation, so everybody may read it. */
export function openApiDocument(
  operations: readonly RestOperation[],
  leastRole: (method: RestOperation["method"]) => LeastRole,
) {
  const components = new Components();
  const paths: Record<string, PathItem> = {};
  for (const operation of operations) {
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
        "Parameters may come in the query, in a form, also a multipart one, or in JSON. In a query or form a list is " +
        "`ids[]=1&ids[]=2`, and a field of an object `fields[url]=...`. Unknown names are refused where a call deletes, or " +
        "changes something that GitLab does not have; elsewhere they are ignored, because clients of GitLab send more. " +
        "HEAD is answered wherever GET is. Anything the caller may not see is answered as if it did not exist.",
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
            "`PRIVATE-TOKEN: <token>`: a personal access token. A person makes one in the console, under Personal access tokens.",
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
