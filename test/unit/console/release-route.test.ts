import { suite } from "uvu";
import * as assert from "uvu/assert";
import { noEnvironment, route } from "../../../console/src/lib/navigation/route.ts";

const routes = suite("routes of releases and ingestion");
const base = "/acme/web/-/error_tracking";

for (const [address, expected] of [
  [route.releases("acme/web"), `${base}/releases`],
  [route.releases("acme/web", { period: "7d", environment: "", release: "", cursor: "" }), `${base}/releases`],
  [
    route.releases("acme/web", { period: "24h", environment: "prod", release: "shop@1.2", cursor: "c" }),
    `${base}/releases?period=24h&environment=prod&release=shop%401.2&cursor=c`,
  ],
  [route.releases("acme/web", { environment: noEnvironment }), `${base}/releases?environment=%2Fnone`],
  [route.ingestion("acme/web"), `${base}/ingestion`],
  [route.ingestion("acme/web", "24h"), `${base}/ingestion`],
  [route.ingestion("acme/web", "90d"), `${base}/ingestion?period=90d`],
] as const) {
  routes(expected, () => assert.is(address, expected));
}

for (const text of ["a?b=1#c", "a b", 'a"><script>', "//evil.example", "a&release=b", "東京", "a\tb\n"]) {
  routes(`${JSON.stringify(text)} stays within its place`, () => {
    for (const address of [
      route.releases(text, { period: text, environment: text, release: text, cursor: text }),
      route.ingestion(text, text),
    ]) {
      const url = new URL(address, "https://console.example");
      assert.is(`${url.pathname}${url.search}`, address);
      assert.is(url.host, "console.example");
      for (const value of url.searchParams.values()) assert.is(value, text);
    }
  });
}

routes.run();
