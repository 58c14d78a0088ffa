import { readOnly } from "../../read-only-route.ts";
import { sendJsonText, type Route } from "../../visit.ts";
import { openApiDocument } from "./document.ts";
import { pagePolicy } from "./page-style.ts";
import { documentPage } from "./page.ts";

const documentText = JSON.stringify(openApiDocument);

/** The description of the REST API, for programs and for people. It is the same everywhere, so it needs no token. */
export const documentRoutes: readonly Route[] = [
  readOnly("/api/v4/openapi.json", async ({ response }) => sendJsonText(response, 200, documentText)),
  readOnly("/api/v4/docs", async ({ response, origin }) => {
    const page = documentPage(origin);
    response.writeHead(200, {
      "content-type": "text/html; charset=utf-8",
      "content-length": Buffer.byteLength(page),
      "content-security-policy": pagePolicy,
    });
    response.end(page);
  }),
];
