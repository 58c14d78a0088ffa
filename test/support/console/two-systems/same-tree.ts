import type { Page } from "playwright-core";
import * as assert from "uvu/assert";
import { accessibilityTree, type AccessibleNode } from "../accessibility-tree.ts";

const widths = [1280, 360];
export const hourMs = 3_600_000;

/** A node of the tree, with everything below it, that only one side may have. */
export interface Difference {
  readonly role: string;
  readonly name: string;
  readonly reason: string;
}

/** The accepted differences, with their content and reason. Any other difference is a fault. */
const documented: readonly Difference[] = [
  { role: "link", name: "Open in external system", reason: "only an external error has a page elsewhere" },
  { role: "group", name: "Client key", reason: "only an event that is stored here is known by the key it came with" },
  { role: "group", name: "Place", reason: "an external system does not say how many events it keeps" },
  {
    role: "region",
    name: "Activity",
    reason: "changes made in an external system are not listed, and the page says so",
  },
  { role: "group", name: "Came back", reason: "an external system does not say when an error was resolved" },
];

/** The same form: one side has the stored values, the other side a different choice that is not saved. */
export const documentedInSettings: readonly Difference[] = [
  { role: "StaticText", name: "Unsaved changes", reason: "the choice was made on one side a moment ago" },
  { role: "region", name: "Data Source Name (DSN)", reason: "events are sent to where errors are stored" },
  { role: "region", name: "Storage", reason: "what is stored here alone has limits" },
  { role: "region", name: "Grouping", reason: "what is stored here alone can be grouped once more" },
  { role: "region", name: "Inbound filters", reason: "what is sent here alone can be kept out" },
  { role: "region", name: "Client keys", reason: "a key lets applications send events to where errors are stored" },
];

/** Values that name the installation, and their replacements. */
const values: readonly { readonly of: RegExp; readonly as: string; readonly reason: string }[] = [
  {
    of: /http:\/\/127\.0\.0\.1:\d+/g,
    as: "<address>",
    reason: "each installation has its own, and links to the other",
  },
  {
    of: /(?<=[?&]cursor=)[^&#\s]+/g,
    as: "<place>",
    reason: "each backend notes a place in a list in its own way",
  },
];

/** Opens a page on both sides and compares what they expose. `prepare` brings the page into the state to compare. */
export async function sameTree(
  pages: readonly Page[],
  address: string,
  prepare: (page: Page) => Promise<void>,
  differences: readonly Difference[] = documented,
): Promise<void> {
  for (;;) {
    const hour = Math.floor(Date.now() / hourMs);
    const [stored = [], read = []] = await Promise.all(pages.map((page) => treesOf(page, address, prepare)));
    if (hour !== Math.floor(Date.now() / hourMs)) continue; // the hour changed between the two requests
    for (const [index, width] of widths.entries()) {
      const [ours = [], theirs = []] = [stored[index], read[index]];
      assert.ok(ours.length > 30, "the page has content");
      assert.equal(
        treeText(theirs, ours, differences),
        treeText(ours, theirs, differences),
        `${address} at ${width} px`,
      );
    }
    return;
  }
}

/** The accessibility tree of a page at each width. */
async function treesOf(page: Page, address: string, prepare: (page: Page) => Promise<void>) {
  const trees: AccessibleNode[][] = [];
  for (const [index, width] of widths.entries()) {
    await page.setViewportSize({ width, height: 800 });
    if (index === 0) {
      await page.goto(address);
      await prepare(page);
    }
    trees.push(await accessibilityTree(page));
  }
  return trees;
}

/** The tree as text. If a node is disabled on one side, only role and name are compared. */
function treeText(
  tree: readonly AccessibleNode[],
  other: readonly AccessibleNode[],
  differences: readonly Difference[],
): string {
  const key = ({ role, name }: AccessibleNode) => `${role} "${name}"`;
  const off = new Set([...tree, ...other].filter(({ disabled }) => disabled).map(key));
  const lines = without(differences, tree).map((node) => {
    const more = off.has(key(node)) ? [] : [node.states, node.description, node.leadsTo];
    return `${" ".repeat(node.depth)}${[key(node), ...more].filter((part) => part !== "").join(" | ")}`;
  });
  return values.reduce((text, { of, as }) => text.replace(of, as), lines.join("\n"));
}

function without(differences: readonly Difference[], tree: readonly AccessibleNode[]): AccessibleNode[] {
  let leftOut = Infinity;
  return tree.filter((node) => {
    if (node.depth > leftOut) return false;
    const found = differences.some(({ role, name }) => role === node.role && name === node.name);
    leftOut = found ? node.depth : Infinity;
    return !found;
  });
}
