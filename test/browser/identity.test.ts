// limit: 240 s
import { Backend } from "@faultline/proto";
import { test } from "uvu";
import { documentedInSettings, sameTree } from "../support/console/two-systems/same-tree.ts";
import { link, live, opened, twoSystems } from "../support/console/two-systems/two-systems.ts";

/**
 * The user interface is identical for both backends (specification 1.3). Two installations show the same errors: one
 * stores them, the other reads them from the first as its external system. What a screen reader gets of a page is
 * compared whole: roles, names, states and order, and where links lead. Here each kind of page once;
 * long/browser/identity.test.ts compares the others.
 */

const { integrated, external, path, list, errorNamed, ...both } = await twoSystems();

test("a search is the same", () =>
  both.sameTree(`${list}?${new URLSearchParams({ status: "all", q: "release:shop@2.0.0" })}`, live));

test("the list is the same after its next page and back", () =>
  both.sameTree(list, async (page) => {
    for (const [name, other] of [
      ["Next ›", "‹ Previous"],
      ["‹ Previous", "Next ›"],
    ] as const) {
      await page.getByRole("link", { name }).click();
      await page.getByRole("link", { name: other }).waitFor();
    }
    await live(page);
  }));

test("the details of an error with a chain of exceptions, many frames and everything around it are the same", () =>
  both.sameTree(`${errorNamed("PaymentError")}/details`, opened));

test("the users and tags of that error are the same", () => both.sameTree(`${errorNamed("PaymentError")}/users`, live));

test("the events of that error are the same", () => both.sameTree(`${errorNamed("PaymentError")}/events`, live));

test("the details of an error that came back, of which the last-seen label does not say all yet, are the same", () =>
  both.sameTree(`${errorNamed("TimeoutError")}/details`, opened));

test("a Reporter, who may change nothing, sees the same", async () =>
  sameTree(await both.reporterPages(), `${errorNamed("PaymentError")}/details`, opened));

test("the settings are the same form, whichever backend was chosen", async () => {
  // The fields of the external backend keep their values while the integrated backend is chosen.
  const { client } = integrated;
  await client.settings.updateSettings({ projectId: 1, active: true, ...link(external.server) }, client.auth);
  await client.settings.updateSettings({ projectId: 1, backend: Backend.INTEGRATED }, client.auth);
  for (const backend of ["External", "Integrated"]) {
    await both.sameTree(
      `/${path}/-/settings/monitor`,
      async (page) => {
        await page.getByRole("radio", { name: backend }).check();
        await page.getByLabel("External API URL").waitFor({ state: backend === "External" ? "visible" : "hidden" });
      },
      documentedInSettings,
    );
  }
});

test.run();
