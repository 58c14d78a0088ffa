import { test } from "uvu";
import * as assert from "uvu/assert";
import { threadMs } from "../../support/service/thread-time.ts";
import { browserName } from "../../../console/src/routes/-/profile/account/sessions/browser-name.ts";

const chrome = "AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0";
const table: [name: string, userAgent: string][] = [
  ["Firefox 131 on Windows", "Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:131.0) Gecko/20100101 Firefox/131.0"],
  ["Chrome 131 on Linux", `Mozilla/5.0 (X11; Linux x86_64) ${chrome} Safari/537.36`],
  ["Chrome 131 on Android", `Mozilla/5.0 (Linux; Android 10; K) ${chrome} Mobile Safari/537.36`],
  ["Chrome 131 on ChromeOS", `Mozilla/5.0 (X11; CrOS x86_64 14541.0.0) ${chrome} Safari/537.36`],
  ["Edge 131 on Windows", `Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${chrome} Safari/537.36 Edg/131.0.2903.51`],
  ["Opera 115 on macOS", `Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) ${chrome} Safari/537.36 OPR/115.0.0.0`],
  [
    "Safari 18 on macOS",
    "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.1 Safari/605.1.15",
  ],
  [
    "Safari 18 on iPhone (iOS 18.1)",
    "Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.1 Mobile/15E148 Safari/604.1",
  ],
  [
    "Chrome 131 on iPad (iOS 18.1)",
    "Mozilla/5.0 (iPad; CPU OS 18_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) CriOS/131.0.6778.73 Mobile/15E148 Safari/604.1",
  ],
  ["Firefox 115 on Windows 7", "Mozilla/5.0 (Windows NT 6.1; rv:115.0) Gecko/20100101 Firefox/115.0"],
  [
    "Samsung Internet 23 on Android 14",
    "Mozilla/5.0 (Linux; Android 14; SM-S918B) AppleWebKit/537.36 SamsungBrowser/23.0 Chrome/115.0.0.0 Mobile",
  ],
  ["Vivaldi 7 on Linux", `Mozilla/5.0 (X11; Linux x86_64) ${chrome} Safari/537.36 Vivaldi/7.0.3495.11`],
  ["curl/8.5.0", "curl/8.5.0"],
  ["faultline-cli/1.0", "faultline-cli/1.0 (anything)"],
  ["Not known", ""],
  ["Not known", "  "],
];

for (const [name, userAgent] of table)
  test(`${userAgent || "no User-Agent"} is shown as ${name}`, () => {
    assert.is(browserName(userAgent), name);
  });

test("a hostile User-Agent of any length costs less than a page may", () => {
  const pieces = [
    "version/1",
    "crios/1",
    "mac os x ",
    "1_1",
    "1.",
    "android ",
    "(iphone;",
    "like ",
    "edg",
    "windows nt ",
    " ",
    "/",
  ];
  for (const one of pieces)
    for (const other of pieces) {
      const userAgent = (one + other).repeat(100_000);
      const ms = threadMs(() => browserName(userAgent));
      assert.ok(ms < 20, `${one}${other}: ${ms} ms`);
    }
});

test.run();
