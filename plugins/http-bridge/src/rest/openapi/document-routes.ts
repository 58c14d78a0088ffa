import { readOnly } from "../../read-only-route.ts";
import type { Route } from "../../request-context.ts";
import type { OpenApiDocument } from "./document.ts";
import { pagePolicy } from "./page-style.ts";
import { documentPage } from "./page.ts";
import { sendText, StaticText } from "./static-text.ts";

/** The description of the REST API, for programs and for people. It is the same everywhere, so it needs no token. */
export function documentRoutes(document: OpenApiDocument): readonly Route[] {
  let json: StaticText | undefined;
  const pageAt = pages(document);
  return [
    readOnly("/api/v4/openapi.json", (context) => {
      json ??= new StaticText(JSON.stringify(document)); // reads the words of the proto files, 0.1 s of a core
      return sendText(context, json, { "content-type": "application/json" });
    }),
    readOnly("/api/v4/docs", (context) =>
      sendText(context, pageAt(context.origin), {
        "content-type": "text/html; charset=utf-8",
        "content-security-policy": pagePolicy,
      }),
    ),
  ];
}

/** Stands for the address in the page that is built once: no address is like it. */
const anywhere = "http://address.invalid";

/** Addresses whose pages are kept: without a configured one a page has the address that its reader used. */
const addressesKept = 4;

/** The page by the beginning of the addresses in it. */
function pages(document: OpenApiDocument): (origin: string) => StaticText {
  let parts: readonly string[] | undefined;
  const kept = new Map<string, StaticText>();
  return (origin) => {
    parts ??= documentPage(document, anywhere).split(anywhere);
    const page = kept.get(origin) ?? new StaticText(parts.join(origin)); // an origin has no character of HTML
    kept.set(origin, page);
    const [oldest] = kept.keys();
    if (kept.size > addressesKept && oldest !== undefined) kept.delete(oldest);
    return page;
  };
}
