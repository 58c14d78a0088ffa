import { test } from "uvu";
import * as assert from "uvu/assert";
import { matchingProjects, paletteEntries } from "../../../console/src/lib/navigation/palette-entries.ts";
import { offered } from "../../../plugins/saved-searches/src/console/offered.ts";

const web = { name: "Web shop", path: "acme/web" };
const projects = [web, { name: "Desk", path: "partner/desk" }, { name: "api", path: "api" }];
const off = { allowed: false, reason: "The external system does not offer this." };
const sections = [
  {
    name: "Monitor",
    links: [
      { label: "Error Tracking", href: "/acme/web/-/error_tracking" },
      { label: "Releases", href: "/acme/web/-/error_tracking/releases", needs: off },
    ],
  },
  { name: "You", links: [{ label: "Access tokens", href: "/-/profile/personal_access_tokens" }] },
];
const checkout = {
  name: "Checkout",
  query: "transaction:/cart",
  status: "ERROR_STATUS_UNSPECIFIED",
  sort: "ERROR_SORT_EVENT_COUNT",
} as const;
const searches = [offered(checkout, "acme/web")];
const id = "0123456789abcdef0123456789abcdef";

const labels = (text: string, project: typeof web | undefined) =>
  paletteEntries(text, { sections, projects, project, offered: searches }).map(({ label }) => label);

const offers: [claim: string, text: string, labels: string[]][] = [
  [
    "all pages that are offered, the saved searches and all projects, for no text",
    "",
    ["Error Tracking", "Access tokens", "Checkout", "Web shop", "Desk", "api"],
  ],
  [
    "a page by words of its name and section",
    "you tok",
    ["Access tokens", "Search errors for “you tok”", "Search all errors for “you tok”"],
  ],
  [
    "a project by its path, without regard to case",
    "PARTNER",
    ["Desk", "Search errors for “PARTNER”", "Search all errors for “PARTNER”"],
  ],
  [
    "the search alone where no page or project matches",
    "timeout",
    ["Search errors for “timeout”", "Search all errors for “timeout”"],
  ],
  ["the event for its id", id.toUpperCase(), [`Open event ${id}`, `Search all errors for “${id}”`]],
  [
    "the event for its id with dashes",
    ` ${id.replace(/^(.{8})(.{4})/, "$1-$2-")} `,
    [`Open event ${id}`, `Search all errors for “${id}”`],
  ],
];
for (const [claim, text, expected] of offers) {
  test(`the palette offers ${claim}`, () => assert.equal(labels(text, web), expected));
}

test("a saved search leads to the list with its status and order, and is found by its search too", () => {
  const [found] = paletteEntries("/cart", { sections: [], projects: [], project: web, offered: searches });
  assert.equal(found, {
    label: "Checkout",
    note: "Saved search",
    href: "/acme/web/-/error_tracking?q=transaction%3A%2Fcart&status=all&sort=events",
  });
});

test("outside projects the palette searches all errors", () => {
  assert.equal(labels("timeout", undefined), ["Search all errors for “timeout”"]);
});

test("a search of the palette leads to the list of the project, or of all", () => {
  const found = paletteEntries("a b", { sections: [], projects: [], project: web, offered: [] });
  assert.equal(
    found.map(({ href }) => href),
    ["/acme/web/-/error_tracking?q=a+b", "/-/errors?q=a+b"],
  );
});

test("projects match by name and path, and the path distinguishes them", () => {
  const notes = matchingProjects("", projects).map(({ note }) => note);
  assert.equal(notes, ["acme/web", "partner/desk", "Project"]);
  assert.equal(
    matchingProjects("acme shop", projects).map(({ href }) => href),
    ["/acme/web/-/error_tracking"],
  );
});

test.run();
