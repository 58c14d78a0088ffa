/**
 * Opens a page that reports: `node open.ts <directory of the scripts> <script>`. Waits until the script says that it is
 * done. The page lies on another origin than the DSN, as usual.
 */
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { chromium } from "playwright-core";
import { chromiumPath } from "../../support/console/chromium-path.ts";

const [dir = "", script = ""] = process.argv.slice(2);
const dsn = JSON.stringify(process.env["FAULTLINE_TEST_DSN"]);
const html = `<!doctype html><meta charset="utf-8"><link rel="icon" href="data:,"><div id="root"></div><script>window.dsn = ${dsn}</script><script type="module" src="/${script}.js"></script>`;

const server = createServer(({ url = "/" }, response) => {
  if (url === "/") response.setHeader("Content-Type", "text/html").end(html);
  else response.setHeader("Content-Type", "text/javascript").end(readFileSync(join(dir, url)));
});
await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
const { port } = server.address() as AddressInfo;
const browser = await chromium.launch({
  executablePath: chromiumPath,
  args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update"],
});
try {
  const page = await browser.newPage();
  page.on("console", (message) => console.log(message.text()));
  page.on("pageerror", (error) => console.log(`window error: ${error.message}`));
  await page.goto(`http://127.0.0.1:${port}/`);
  await page.waitForFunction("window.isDone", undefined, { timeout: 20_000 });
} finally {
  await browser.close();
  server.close();
}
