/**
 * Opens a page that reports: `node open.ts <directory of the scripts> <script>`. Waits until the script says that it is
 * done. The page is on another origin than the DSN, as usual, and at each address that names no file. Its first part
 * comes from the file next to this one with the name of the script, if there is one.
 */
import { existsSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { extname, join } from "node:path";
import { chromium } from "playwright-core";
import { chromiumPath } from "../../support/console/chromium-path.ts";

const [dir = "", script = ""] = process.argv.slice(2);
const dsn = JSON.stringify(process.env["FAULTLINE_TEST_DSN"]);
const own = join(import.meta.dirname, `${script}.html`);
const head = existsSync(own)
  ? readFileSync(own, "utf8")
  : '<!doctype html><meta charset="utf-8"><link rel="icon" href="data:,">';
const html = `${head}<div id="root"></div><script>window.dsn = ${dsn}</script><script type="module" src="/${script}.js"></script>`;

const server = createServer(({ url = "/" }, response) => {
  if (extname(url) === "") response.setHeader("Content-Type", "text/html").end(html);
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
