import type { Page } from "playwright-core";
import * as assert from "uvu/assert";
import type { TestBrowser } from "./browser.ts";
import { sessionCookie, signInByForm, tokenIn } from "./console.ts";
import type { Server } from "../service/server.ts";

/** A page of the console, signed in as the administrator, on which no text may take effect. */
export interface InertPage {
  readonly page: Page;
  /** Asserts that no text of the page took effect, and that the browser fetched nothing and did not complain. */
  assertInert(what: string): Promise<void>;
  /** Opens an address and asserts the same, on a wide screen and on a phone. */
  openInert(address: string): Promise<void>;
}

/** Runs before every page. Counts what the policy stopped, because text must not even try. */
const watchPolicy = `addEventListener("securitypolicyviolation", (event) => {
  globalThis.violations = [...(globalThis.violations ?? []), event.effectiveDirective + " " + event.blockedURI];
});`;

/** The faults of the current page. */
const faultsOfPage = `(() => {
  const all = [...document.querySelectorAll("*")];
  const links = [...document.querySelectorAll("[href], [src], [action], [formaction], [srcset], [ping], [poster]")];
  const isOurs = (address) => new URL(address, location.href).origin === location.origin;
  const isBare = ({ rel }) => !["noopener", "noreferrer", "nofollow"].every((one) => rel.split(" ").includes(one));
  const isElsewhere = (link) =>
    link.tagName === "A" ? !isOurs(link.href) && (isBare(link) || !/^https?:$/.test(link.protocol))
    : [...link.attributes].some(({ name, value }) =>
        ["href", "src", "action", "formaction", "poster"].includes(name) && !value.startsWith("#") && !isOurs(value));
  const main = document.querySelector("main");
  return {
    ran: globalThis.taken ?? 0,
    violations: globalThis.violations ?? [],
    handlers: all.filter((one) => one.getAttributeNames().some((name) => /^on/.test(name))).length,
    foreign: main.querySelectorAll("script, iframe, object, embed, img, video, audio, link, meta, style, base, math, template, marquee, foreignObject, animate").length,
    links: links.filter(isElsewhere).map((link) => link.outerHTML.slice(0, 200)),
    frames: frames.length,
    sideways: document.documentElement.scrollWidth - document.documentElement.clientWidth,
    isOurs: main !== null && document.querySelector(".app") !== null,
  };
})()`;
const noFaults = {
  ran: 0,
  violations: [],
  handlers: 0,
  foreign: 0,
  links: [],
  frames: 0,
  sideways: 0,
  isOurs: true,
};

/** Signs in, and watches the page of a browser from now on. */
export async function inertPage(browser: TestBrowser, server: Pick<Server, "url">): Promise<InertPage> {
  const { page, context, complaints } = browser;
  const requests: string[] = [];
  let dialogs = 0;
  await context.addInitScript(watchPolicy);
  const value = tokenIn(sessionCookie(await signInByForm(server)));
  await context.addCookies([{ name: "faultline_session", value, url: server.url }]);
  context.on("request", (request) => requests.push(request.url()));
  page.on("dialog", (dialog) => {
    dialogs++;
    dialog.dismiss().catch(() => undefined);
  });

  const assertInert = async (what: string) => {
    assert.equal(await page.evaluate(faultsOfPage), noFaults, what);
    const elsewhereAsked = requests.splice(0).filter((url) => !url.startsWith(`${server.url}/`));
    assert.equal(elsewhereAsked, [], "A65: nothing is fetched from another site");
    assert.is(dialogs, 0, "no dialog was opened");
    assert.is(context.pages().length, 1, "no window was opened");
    // The texts are not at fault if a page is refused, or if an idle connection was closed.
    const faults = complaints.splice(0).filter((one) => !/Failed to load resource|net::ERR_/.test(one));
    assert.equal(faults, []);
  };
  return {
    page,
    assertInert,
    async openInert(address) {
      await page.setViewportSize({ width: 1280, height: 800 });
      const answer = await page.goto(address, { waitUntil: "networkidle" });
      assert.ok((answer?.status() ?? 500) < 500, address);
      await assertInert(address);
      await page.setViewportSize({ width: 360, height: 740 });
      await assertInert(`${address} on a phone`);
    },
  };
}
