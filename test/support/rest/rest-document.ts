import { leastRoleOf } from "../../../backend/src/services/access/permissions.ts";
import { openApiDocument } from "../../../plugins/http-bridge/src/rest/openapi/document.ts";
import { restOperations } from "../../permissions/operations.ts";

/** The OpenAPI document that the product publishes. */
export const restDocument = openApiDocument(restOperations, leastRoleOf);
