import type { Component } from "svelte";
import parts from "virtual:plugins/pages";
import type { PageProps, PageSlot } from "./part.ts";

type Shown = Component<{ [K in keyof PageProps<unknown>]: PageProps<unknown>[K] }>;

/** Loads the component of a plugin's page. */
export async function pageComponent(slot: PageSlot, name: string): Promise<Shown> {
  for (const part of parts) {
    const page = part[slot]?.[name];
    const load = typeof page === "function" ? page : page?.component;
    // A page's data come from the load of the same plugin, so their types agree.
    if (load !== undefined) return (await load()).default as unknown as Shown;
  }
  throw new Error(`There is no page ${name}.`);
}
