import { BoundedMap } from "@faultline/plugin/flow";
import { readOnly } from "../../addresses.ts";
import type { Route } from "../../request-context.ts";
import type { OpenApiDocument } from "./document.ts";
import { pagePolicy } from "./page-template.ts";
import { documentPage } from "./page.ts";
import { sendText, StaticText } from "./static-text.ts";

/** The description of the REST API, for programs and for people. It is the same everywhere, so it needs no token. */
export function documentRoutes(document: OpenApiDocument): readonly Route[] {
  let json: StaticText | undefined;
  const pageAt = pages(document);
  return [
    readOnly("/api/v4/openapi.json", (context) => {
      json ??= new StaticText(Buffer.from(JSON.stringify(document))); // 10 ms
      return sendText(context, json, { "content-type": "application/json" });
    }),
    readOnly("/api/v4/docs", async (context) =>
      sendText(context, await pageAt(context.origin), {
        "content-type": "text/html; charset=utf-8",
        "content-security-policy": pagePolicy,
      }),
    ),
  ];
}

/** A placeholder for the address in the page, which is built once. No real address equals it. */
const anywhere = "http://address.invalid";

/** Addresses with cached pages: without a configured address, a page uses its reader's address. */
const addressesKept = 4;

/** The page for each address; `origin` begins all addresses in it. */
function pages(document: OpenApiDocument): (origin: string) => Promise<StaticText> {
  let page: Promise<{ readonly parts: readonly Buffer[]; readonly tag: string }> | undefined;
  const kept = new BoundedMap<string, StaticText>(addressesKept);
  const build = async (origin: string) => {
    page ??= documentPage(document, anywhere).then((text) => ({
      parts: text.split(anywhere).map((part) => Buffer.from(part)),
      tag: new StaticText(Buffer.from(text)).tag,
    }));
    const { parts, tag } = await page;
    const address = Buffer.from(origin); // an origin contains no HTML characters
    const bytes = Buffer.concat(parts.flatMap((part, n) => (n === 0 ? [part] : [address, part])));
    return new StaticText(bytes, `${tag} ${origin}`);
  };
  return async (origin) => {
    const built = kept.get(origin) ?? (await build(origin));
    kept.set(origin, built);
    return built;
  };
}
