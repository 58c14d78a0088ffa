import { readFileSync } from "node:fs";
import { join } from "node:path";
import { compile } from "svelte/compiler";
import type { Component } from "svelte";
import { render } from "svelte/server";
import { test } from "uvu";
import * as assert from "uvu/assert";

/** A panel that the server renders. test/browser/error-page.test.ts has a panel that fails in the browser. */

const panel = readFileSync(join(import.meta.dirname, "../../../console/src/lib/components/Panel.svelte"), "utf8");

/** The address of the compiled component. */
function moduleOf(source: string, name: string, imports: Readonly<Record<string, string>> = {}): string {
  const { js } = compile(source, { generate: "server", filename: `${name}.svelte` });
  const code = js.code.replaceAll(/(["'])(svelte\/[^"']+|\.\/[^"']+)\1/g, (_, quote: string, named: string) => {
    return `${quote}${imports[named] ?? import.meta.resolve(named)}${quote}`;
  });
  return `data:text/javascript;base64,${Buffer.from(code).toString("base64")}`;
}

const page = `<script>
  import Panel from "./Panel.svelte";
  const { shown } = $props();
</script>
<h1>The page</h1>
<Panel aria-label="One">{shown()}</Panel>
<Panel aria-label="Another">stays</Panel>`;

test("an error that a panel throws while the server renders it is reported, and does not affect the rest of the page", async () => {
  const address = moduleOf(page, "Page", { "./Panel.svelte": moduleOf(panel, "Panel") });
  const { default: Page } = (await import(address)) as { default: Component<{ shown: () => string }> };
  const reported: unknown[] = [];
  const failure = new Error("broken");
  const shown = () => {
    throw failure;
  };
  const transformError = (error: unknown) => ({ message: `${reported.push(error)} failure` });
  const { body } = render(Page, { props: { shown }, transformError });
  assert.equal(reported, [failure]);
  assert.match(body, "This panel could not be shown. Reload the page to try again.");
  assert.match(body, "The page");
  assert.match(body, "stays");
  assert.not.match(render(Page, { props: { shown: () => "all is well" }, transformError }).body, "could not be shown");
});

test.run();
