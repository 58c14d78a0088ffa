import { leastRoleOf } from "../../../backend/src/services/access/permissions.ts";
import { openApiDocument } from "../../../plugins/http-bridge/src/rest/openapi/document.ts";
import { restOperations } from "../../permissions/operations.ts";

/** The document of the REST API, as the product publishes it. */
export const restDocument = openApiDocument(restOperations, leastRoleOf);
