import { existsSync, globSync } from "node:fs";
import { join } from "node:path";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { currentAddress, sections, sectionsFor } from "../../../console/src/lib/navigation/entries.ts";
import { pluginEntries, withPluginPages } from "../../support/console/plugin-pages.ts";

const entries = sections.flatMap((section) => section.entries);
const routes = join(import.meta.dirname, "../../../console/src/routes");
const project = { path: "acme/web", capabilities: undefined };

const sectionNames = (isAdmin: boolean, shown: typeof project | undefined) =>
  sectionsFor({ isAdmin }, shown).map(({ name }) => name);

test("each entry leads to a page, and no two to the same one", () => {
  const addresses = entries.map(({ address }) => address("[...project]"));
  assert.is(new Set(addresses).size, addresses.length);
  for (const address of addresses) {
    const page = join(routes, decodeURIComponent(address), "+page.svelte");
    assert.ok(existsSync(page), `${address} has no page`);
  }
});

test("each page with an address without ids is in the navigation, below an entry, or reached otherwise", () => {
  const shown = sectionsFor({ isAdmin: true }, { ...project, path: "[...project]" }, pluginEntries);
  const addresses = shown.flatMap(({ links }) => links.map(({ href }) => decodeURIComponent(href)));
  const pages = globSync("**/+page.svelte", { cwd: routes })
    .map((file) => `/${file.slice(0, -"/+page.svelte".length)}`)
    .flatMap(withPluginPages);
  const missing = pages.filter(
    (page) => !addresses.some((address) => page === address || page.startsWith(`${address}/`)),
  );
  assert.equal(missing.toSorted(), [
    "/-/confirm_email/[token]",
    "/-/invitations/[token]",
    "/-/password_resets/[token]",
    "/-/sign_in",
    "/-/unsubscribe/[token]",
  ]);
});

test("the sections of a project are there while one is shown, and the administration for administrators", () => {
  assert.equal(sectionNames(false, undefined), ["All projects", "You"]);
  assert.equal(sectionNames(false, project), ["Monitor", "Settings", "All projects", "You"]);
  assert.equal(sectionNames(true, project), ["Monitor", "Settings", "All projects", "You", "Administration"]);
});

test("an icon means one thing", () => {
  const byIcon = Map.groupBy(entries, ({ icon }) => icon);
  const labels = [...byIcon.values()].map((some) => [...new Set(some.map(({ label }) => label))]);
  assert.equal(
    labels.filter(({ length }) => length > 1),
    [["Members", "Users"]],
  );
});

test("entries for administrators are folded, so that they take one line next to the everyday entries", () => {
  const folded = sectionsFor({ isAdmin: true }, project).filter(({ isFolded }) => isFolded);
  assert.equal(
    folded.map(({ name }) => name),
    ["Administration"],
  );
});

test("a link gives the reason why its page is not offered, except to people who may read no errors at all", () => {
  const off = { allowed: false, reason: "The external system does not offer this." };
  const linkWith = (read: boolean) => {
    const capabilities = { read: { allowed: read, reason: "" }, releases: off };
    // Capabilities that no entry asks for are left out.
    const shown = { path: "acme/web", capabilities: capabilities as never };
    return sectionsFor({ isAdmin: false }, shown)[0]?.links.find(({ label }) => label === "Releases");
  };
  assert.equal(linkWith(true)?.needs, off);
  assert.is(linkWith(false)?.needs, undefined);
});

test("an entry that a plugin brings is in its section, below the entry that it names, otherwise the last", () => {
  const added = [
    { section: "Monitor", label: "Notes", icon: "pencil", page: "notes", after: "Releases" },
    { section: "Settings", label: "Notes", icon: "pencil", page: "notes" },
    { section: "Monitor", label: "Tasks", icon: "list", page: "tasks", after: "No such entry" },
  ] as const;
  const [monitor, settings] = sectionsFor({ isAdmin: false }, project, added).map(({ links }) => links);
  const labels = monitor?.map(({ label }) => label) ?? [];
  assert.is(labels[labels.indexOf("Releases") + 1], "Notes");
  assert.is(labels.at(-1), "Tasks");
  assert.is(settings?.at(-1)?.href, "/acme/web/-/settings/notes");
});

test("the entry of a page is the one with the longest address that the page's path begins with", () => {
  const addresses = ["/-/profile", "/-/profile/account"];
  assert.is(currentAddress(addresses, "/-/profile/account/sessions"), "/-/profile/account");
  assert.is(currentAddress(addresses, "/-/profile"), "/-/profile");
  assert.is(currentAddress(addresses, "/-/profiles"), undefined);
});

test.run();
