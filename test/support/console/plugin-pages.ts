import { globSync } from "node:fs";
import { join } from "node:path";
import type { ConsolePart, PluginPages } from "../../../console/src/lib/plugins/part.ts";

async function partsOf<Part>(name: string): Promise<Part[]> {
  const files = globSync(join(import.meta.dirname, "../../../plugins/*/src/console", name));
  return Promise.all(files.map(async (file) => ((await import(file)) as { readonly default: Part }).default));
}

/** The navigation entries of the built-in plugins. */
export const pluginEntries = (await partsOf<ConsolePart>("index.ts")).flatMap(({ navigation = [] }) => navigation);

const pages = await partsOf<PluginPages>("pages.ts");

/** The slots of routes that show pages of plugins, by the end of the route. */
const slots = {
  "error_tracking/[page=pageName]": "projectPages",
  "settings/[page]": "settings",
  "[id]/[tab]": "errorTabs",
} as const;

/** The route itself, or, for a route that shows pages of plugins, a route for each page of the built-in plugins. */
export function withPluginPages(route: string): string[] {
  const bare = route.replaceAll(/\(\w+\)\/|\/$/g, "");
  const [, slot] = Object.entries(slots).find(([end]) => bare.endsWith(end)) ?? [];
  if (slot === undefined) return [route];
  const names = pages.flatMap((part) => Object.keys(part[slot] ?? {}));
  return names.map((name) => route.replace(/\[(?:page|tab)[^\]]*\]/, name));
}
