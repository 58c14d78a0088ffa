import type { Page } from "playwright-core";

/** A node of the accessibility tree. Nodes that screen readers ignore are left out. */
export interface AccessibleNode {
  readonly depth: number;
  readonly role: string;
  readonly name: string;
  /** The value and states of the node, such as `level=2` or `expanded=false`, except `disabled`. */
  readonly states: string;
  readonly description: string;
  /** The target of a link, without the origin. */
  readonly leadsTo: string;
  readonly disabled: boolean;
}

/** The fields of Chromium's Accessibility.getFullAXTree that this file reads. */
interface AXNode {
  readonly nodeId: string;
  readonly ignored: boolean;
  readonly role?: AXValue;
  readonly name?: AXValue;
  readonly description?: AXValue;
  readonly value?: AXValue;
  readonly properties?: readonly { readonly name: string; readonly value: AXValue }[];
  readonly childIds?: readonly string[];
  readonly parentId?: string;
}
interface AXValue {
  readonly value?: unknown;
}

/** States that are momentary, or repeat another state. */
const passedOver = new Set(["disabled", "url", "focused", "focusable", "busy", "settable"]);

/** The current accessibility tree of the page, from top to bottom. */
export async function accessibilityTree(page: Page): Promise<AccessibleNode[]> {
  const session = await page.context().newCDPSession(page);
  const { nodes } = (await session.send("Accessibility.getFullAXTree")) as { nodes: readonly AXNode[] };
  await session.detach();
  const byId = new Map(nodes.map((node) => [node.nodeId, node]));
  const origin = new URL(page.url()).origin;
  const tree: AccessibleNode[] = [];
  const visit = (node: AXNode, depth: number) => {
    const entry = node.ignored || text(node.role) === "InlineTextBox" ? undefined : shown(node, depth, origin);
    if (entry) tree.push(entry);
    for (const id of node.childIds ?? []) {
      const child = byId.get(id);
      if (child) visit(child, entry ? depth + 1 : depth);
    }
  };
  for (const node of nodes) if (node.parentId === undefined) visit(node, 0);
  return tree;
}

function shown(node: AXNode, depth: number, origin: string): AccessibleNode {
  const properties = node.properties ?? [];
  const property = (name: string) => text(properties.find((one) => one.name === name)?.value);
  return {
    depth,
    role: text(node.role),
    name: text(node.name),
    states: [
      ...(text(node.value) === "" ? [] : [`value=${text(node.value)}`]),
      ...properties.flatMap(({ name, value }) =>
        passedOver.has(name) || typeof value.value === "object" ? [] : `${name}=${text(value)}`,
      ),
    ].join(" "),
    description: text(node.description),
    leadsTo: property("url").replace(origin, ""),
    disabled: property("disabled") === "true",
  };
}

const text = (value: AXValue | undefined): string => (value?.value === undefined ? "" : String(value.value));
