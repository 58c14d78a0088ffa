import { readOnly } from "../../read-only-route.ts";
import { sendJsonText, type Route } from "../../request-context.ts";
import type { OpenApiDocument } from "./document.ts";
import { pagePolicy } from "./page-style.ts";
import { documentPage } from "./page.ts";

/** The description of the REST API, for programs and for people. It is the same everywhere, so it needs no token. */
export function documentRoutes(document: OpenApiDocument): readonly Route[] {
  const text = JSON.stringify(document);
  return [
    readOnly("/api/v4/openapi.json", async ({ response }) => sendJsonText(response, 200, text)),
    readOnly("/api/v4/docs", async ({ response, origin }) => {
      const page = documentPage(document, origin);
      response.writeHead(200, {
        "content-type": "text/html; charset=utf-8",
        "content-length": Buffer.byteLength(page),
        "content-security-policy": pagePolicy,
      });
      response.end(page);
    }),
  ];
}
