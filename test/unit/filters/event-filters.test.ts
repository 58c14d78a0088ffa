import type { ArrivedEvent } from "@faultline/plugin";
import { readErrorEvent, type JsonObject } from "@faultline/sentry-event";
import { PayloadEncoding } from "@faultline/proto";
import { test } from "uvu";
import * as assert from "uvu/assert";
import type { InboundFilterRow } from "../../../backend/src/services/filters/inbound-filters.ts";
import {
  EventFilters,
  isWebCrawler,
  isLocalhost,
  isOnLocalhost,
  isOldBrowser,
} from "../../../backend/src/services/filters/event-filters.ts";

const off: InboundFilterRow = {
  projectId: 1,
  addresses: "",
  releases: "",
  environments: "",
  messages: "",
  types: "",
  webCrawlers: false,
  oldBrowsers: false,
  browserExtensions: false,
  localhost: false,
  spikeProtection: true,
  spikesSampledFrom: 0,
  revision: 1,
  updatedAt: 0,
};

function arrived(sent: JsonObject, clientIp = "198.51.100.1", userAgent = ""): ArrivedEvent {
  const payload = { content: new Uint8Array(), encoding: PayloadEncoding.UNSPECIFIED, offset: 0, length: 0 };
  const newEventId = () => "a".repeat(32);
  return {
    event: readErrorEvent(sent, { projectId: 1, receivedAt: 0, payload, newEventId }),
    sent,
    clientIp,
    userAgent,
  };
}

const thrown = (type: string, value: string, filename?: string): JsonObject => ({
  platform: "javascript",
  exception: {
    values: [{ type, value, ...(filename !== undefined && { stacktrace: { frames: [{ filename, function: "f" }] } }) }],
  },
});
const agent = (userAgent: string): JsonObject => ({ message: "x", request: { headers: { "User-Agent": userAgent } } });
const firefox = "Mozilla/5.0 (X11; Linux x86_64; rv:150.0) Gecko/20100101 Firefox/150.0";
const googlebot = "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)";
const ie11 = "Mozilla/5.0 (Windows NT 6.3; Trident/7.0; rv:11.0) like Gecko";

const cases: [claim: string, filters: Partial<InboundFilterRow>, event: ArrivedEvent, reason: string | undefined][] = [
  ["with all filters off everything is let in", {}, arrived(agent(googlebot), "127.0.0.1"), undefined],

  ["an address is stopped", { addresses: "203.0.113.7" }, arrived({}, "203.0.113.7"), "filter_address"],
  ["its neighbour is not", { addresses: "203.0.113.7" }, arrived({}, "203.0.113.8"), undefined],
  ["a network is stopped", { addresses: "10.0.0.0/8\n203.0.113.0/24" }, arrived({}, "203.0.113.9"), "filter_address"],
  ["an IPv6 network is stopped", { addresses: "2001:db8::/32" }, arrived({}, "2001:db8:1::9"), "filter_address"],
  [
    "another spelling of an address is the same",
    { addresses: "2001:DB8:0::1" },
    arrived({}, "2001:db8::1"),
    "filter_address",
  ],
  ["an address with a zone is judged", { addresses: "fe80::/10" }, arrived({}, "fe80::1%eth0"), "filter_address"],
  ["a sender whose address is not known is let in", { addresses: "203.0.113.7" }, arrived({}, ""), undefined],

  ["a release is stopped", { releases: "web@1.*" }, arrived({ release: "web@1.4.0" }), "filter_release"],
  ["another release is not", { releases: "web@1.*" }, arrived({ release: "web@2.0.0" }), undefined],
  ["an event without a release is not", { releases: "*1*" }, arrived({}), undefined],
  [
    "an environment is stopped",
    { environments: "staging\ntest-*" },
    arrived({ environment: "Test-7" }),
    "filter_environment",
  ],
  [
    "an environment in a tag is stopped",
    { environments: "dev" },
    arrived({ tags: { environment: "dev" } }),
    "filter_environment",
  ],

  ["a type is stopped", { types: "abort*" }, arrived(thrown("AbortError", "x")), "filter_type"],
  [
    "a type within the chain is stopped",
    { types: "Inner" },
    arrived({
      exception: {
        values: [
          { type: "Inner", value: "" },
          { type: "Outer", value: "" },
        ],
      },
    }),
    "filter_type",
  ],
  ["a message is no type", { types: "*Error" }, arrived({ message: "AbortError" }), undefined],

  [
    "a value is stopped",
    { messages: "*loop completed*" },
    arrived(thrown("Error", "ResizeObserver loop completed with undelivered notifications")),
    "filter_message",
  ],
  [
    "a value is compared alone",
    { messages: "Script error." },
    arrived(thrown("Error", "Script error.")),
    "filter_message",
  ],
  [
    "and with its type",
    { messages: "TypeError: *undefined*" },
    arrived(thrown("TypeError", "x is undefined")),
    "filter_message",
  ],
  ["a message is stopped", { messages: "slow query*" }, arrived({ message: "Slow query of 3 s" }), "filter_message"],
  [
    "the formatted message is compared",
    { messages: "* of 3 s" },
    arrived({ logentry: { message: "query of %s s", params: ["3"], formatted: "query of 3 s" } }),
    "filter_message",
  ],
  ["an own title is stopped", { messages: "ignored" }, arrived({ title: "Ignored", message: "x" }), "filter_message"],
  ["another message is not", { messages: "slow query" }, arrived({ message: "slow query of 3 s" }), undefined],
  [
    "what stands behind the first 1,024 characters is not looked at",
    { messages: "*needle*" },
    arrived({ message: "x".repeat(1100) + "needle" }),
    undefined,
  ],

  ["a crawler is stopped by the event's request", { webCrawlers: true }, arrived(agent(googlebot)), "crawler"],
  [
    "the event's request counts more than the one that brought it",
    { webCrawlers: true },
    arrived(agent(firefox), "", googlebot),
    undefined,
  ],
  [
    "a crawler that reports for itself is stopped",
    { webCrawlers: true },
    arrived({ message: "x" }, "", googlebot),
    "crawler",
  ],
  [
    "headers in pairs, in whichever case, are read",
    { webCrawlers: true },
    arrived({ request: { headers: [["user-agent", [googlebot]]] } }),
    "crawler",
  ],
  ["an old browser is stopped", { oldBrowsers: true }, arrived(agent(ie11)), "old_browser"],
  ["a new browser is not", { oldBrowsers: true, webCrawlers: true }, arrived(agent(firefox)), undefined],

  [
    "an extension is stopped",
    { browserExtensions: true },
    arrived(thrown("Error", "x", "chrome-extension://abc/inject.js")),
    "browser_extension",
  ],
  [
    "so is one of Firefox",
    { browserExtensions: true },
    arrived(thrown("Error", "x", "moz-extension://abc/inject.js")),
    "browser_extension",
  ],
  [
    "so is one of Safari",
    { browserExtensions: true },
    arrived(thrown("Error", "x", "safari-web-extension://abc/inject.js")),
    "browser_extension",
  ],
  [
    "and one that is known by its message",
    { browserExtensions: true },
    arrived(thrown("Error", "Extension context invalidated.")),
    "browser_extension",
  ],
  [
    "an extension that wraps the function which throws is not the cause",
    { browserExtensions: true },
    arrived({
      platform: "javascript",
      exception: {
        values: [
          {
            type: "E",
            value: "x",
            stacktrace: {
              frames: [
                { filename: "chrome-extension://abc/wrap.js" },
                { filename: "https://acme.example/app.js" },
                { filename: "<anonymous>" },
              ],
            },
          },
        ],
      },
    }),
    undefined,
  ],
  [
    "a path of a server is not an extension",
    { browserExtensions: true },
    arrived({ ...thrown("E", "top.GLOBALS"), platform: "python" }),
    undefined,
  ],

  ["localhost is stopped", { localhost: true }, arrived({ request: { url: "http://localhost:3000/x" } }), "localhost"],
  ["a server of that name is stopped", { localhost: true }, arrived({ server_name: "localhost" }), "localhost"],
  [
    "a real host is not",
    { localhost: true },
    arrived({ server_name: "web-1", request: { url: "https://acme.example/?u=http://localhost/" } }),
    undefined,
  ],
];

for (const [claim, filters, event, reason] of cases) {
  test(claim, () => assert.is(new EventFilters({ ...off, ...filters }).reasonToStop(event), reason));
}

for (const [userAgent, isCrawler] of [
  [googlebot, true],
  ["AdsBot-Google (+http://www.google.com/adsbot.html)", true],
  ["Mozilla/5.0 (compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm)", true],
  ["Mozilla/5.0 (compatible; Baiduspider/2.0; +http://www.baidu.com/search/spider.html)", true],
  ["Mozilla/5.0 (compatible; Yahoo! Slurp; http://help.yahoo.com/help/us/ysearch/slurp)", true],
  ["facebookexternalhit/1.1 (+http://www.facebook.com/externalhit_uatext.php)", true],
  ["Twitterbot/1.0", true],
  ["Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)", true],
  ["Pingdom.com_bot_version_1.4_(http://www.pingdom.com/)", true],
  ["Mozilla/5.0 (Linux; Android 5.0) AppleWebKit/537.36 (compatible; Bytespider; spider-feedback@bytedance.com)", true],
  ["Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; GPTBot/1.2; +https://openai.com/gptbot)", true],
  ["Mozilla/5.0 (compatible; ClaudeBot/1.0; +claudebot@anthropic.com)", true],
  ["Some crawler", true],
  ["Slackbot 1.0(+https://api.slack.com/robots)", false],
  [firefox, false],
  ["Mozilla/5.0 (Linux; Android 10; CUBOT NOTE 20) AppleWebKit/537.36 Chrome/120.0.0.0 Mobile Safari/537.36", false],
  ["sentry.python/2.20.0", false],
  ["Robotics/1.0", false],
  ["", false],
] as const) {
  test(`${userAgent || "no User-Agent"} is ${isCrawler ? "a" : "no"} crawler`, () => {
    assert.is(isWebCrawler(userAgent), isCrawler);
  });
}

for (const [userAgent, isOld] of [
  ["Mozilla/4.0 (compatible; MSIE 8.0; Windows NT 6.0; Trident/4.0)", true],
  [
    "Mozilla/5.0 (compatible; MSIE 10.0; Windows Phone 8.0; Trident/6.0; IEMobile/10.0; ARM; Touch; NOKIA; Lumia 520)",
    true,
  ],
  [ie11, true],
  [
    "Mozilla/5.0 (Windows NT 10.0) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/70.0.3538.102 Safari/537.36 Edge/18.18363",
    true,
  ],
  [
    "Mozilla/5.0 (Windows NT 10.0) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/79.0.3945.74 Safari/537.36 Edg/79.0.309.43",
    false,
  ],
  ["Mozilla/5.0 (X11; Linux x86_64; rv:60.0) Gecko/20100101 Firefox/60.0", true],
  [firefox, false],
  ["Mozilla/5.0 (Windows NT 6.1) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/41.0.2228.0 Safari/537.36", true],
  ["Mozilla/5.0 (Windows NT 10.0) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36", false],
  [
    "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) CriOS/130.0.6723.37 Mobile/15E148 Safari/604.1",
    false,
  ],
  ["Opera/9.80 (J2ME/MIDP; Opera Mini/7.0.32796/59.323; U; fr) Presto/2.12.423 Version/12.16", true],
  ["Opera/9.80 (Windows NT 6.1; U; en) Presto/2.12.388 Version/12.16", true],
  [
    "Mozilla/5.0 (Windows NT 6.1) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/28.0.1500.45 Safari/537.36 OPR/15.0.1147.61",
    true,
  ],
  [
    "Mozilla/5.0 (Windows NT 10.0) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0.0.0 Safari/537.36 OPR/115.0.0.0",
    false,
  ],
  [
    "Mozilla/5.0 (Linux; U; Android 4.1.1; en-gb; Build/KLP) AppleWebKit/534.30 (KHTML, like Gecko) Version/4.0 Safari/534.30",
    true,
  ],
  [
    "Mozilla/5.0 (Linux; Android 14; Pixel 8; wv) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/130.0.0.0 Mobile Safari/537.36",
    false,
  ],
  [
    "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_10) AppleWebKit/600.1.25 (KHTML, like Gecko) Version/8.0 Safari/600.1.25",
    true,
  ],
  [
    "Mozilla/5.0 (iPhone; CPU iPhone OS 10_3 like Mac OS X) AppleWebKit/603.1.30 (KHTML, like Gecko) Version/10.0 Mobile/14E277 Safari/602.1",
    true,
  ],
  [
    "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Safari/605.1.15",
    false,
  ],
  [googlebot, false],
  ["curl/8.5.0", false],
  ["", false],
] as const) {
  test(`${userAgent || "no User-Agent"} is ${isOld ? "an old" : "no old"} browser`, () => {
    assert.is(isOldBrowser(userAgent), isOld);
  });
}

for (const [host, isLocal] of [
  ["localhost", true],
  ["LOCALHOST.", true],
  ["app.localhost", true],
  ["127.0.0.1", true],
  ["127.8.9.10", true],
  ["::1", true],
  ["[::1]", true],
  ["localhost.example.com", false],
  ["mylocalhost", false],
  ["128.0.0.1", false],
  ["127.example.com", false],
  ["", false],
] as const) {
  test(`the host ${JSON.stringify(host)} is ${isLocal ? "" : "not "}localhost`, () =>
    assert.is(isLocalhost(host), isLocal));
}

for (const [url, isLocal] of [
  ["http://localhost/", true],
  ["https://localhost:8443/a?b", true],
  ["localhost:3000/a", true],
  ["localhost", true],
  ["http://127.0.0.1:5173", true],
  ["http://0x7f.1/", true],
  ["http://[::1]:80/x", true],
  ["http://shop.localhost/x", true],
  ["https://acme.example/localhost", false],
  ["file:///srv/index.html", false],
  ["/a/path", false],
  ["http://", false],
  ["", false],
] as const) {
  test(`the address ${JSON.stringify(url)} is ${isLocal ? "" : "not "}on localhost`, () => {
    assert.is(isOnLocalhost(url), isLocal);
  });
}

test.run();
