import { error, type RequestEvent } from "@sveltejs/kit";
import parts from "virtual:plugins/index.server";
import pages from "virtual:plugins/pages";
import type { Project } from "#lib/messages.ts";
import { running } from "#lib/plugins/running.ts";
import type { PageSlot } from "#lib/plugins/part.ts";
import { callOf } from "./call.ts";
import type { PageServer } from "./server-part.ts";

interface Asked {
  readonly slot: PageSlot;
  /** The name of the page. */
  readonly name: string;
  readonly project: Project;
  readonly errorId?: string;
  /** The names of the plugins that run. */
  readonly plugins: readonly string[];
}

/** The answer of the load of a plugin's page; undefined if the page has none. A page of a plugin that does not run is not found. */
export async function pageData(
  event: Pick<RequestEvent, "locals" | "request" | "url">,
  { slot, name, project, errorId = "", plugins }: Asked,
): Promise<unknown> {
  if (!running(pages, plugins).some((part) => Object.hasOwn(part[slot] ?? {}, name))) error(404, "Page not found.");
  return serverOf(slot, name)?.load?.({ ...callOf(event), project, errorId });
}

/** The actions of all pages of a slot. `nameOf`: the name of the page that a request is for. */
export function pageActions<Event extends RequestEvent<{ project: string; id?: string }>>(
  slot: PageSlot,
  nameOf: (event: Event) => string,
) {
  const names = new Set(
    parts.flatMap((part) => Object.values(part[slot] ?? {}).flatMap(({ actions = {} }) => Object.keys(actions))),
  );
  const run = (name: string) => async (event: Event) => {
    const act = serverOf(slot, nameOf(event))?.actions?.[name];
    if (act === undefined) error(404, "Page not found.");
    const { project, id = "" } = event.params;
    return act({ ...callOf(event), projectPath: project, errorId: id, form: await event.request.formData() });
  };
  return Object.fromEntries([...names].map((name) => [name, run(name)]));
}

const serverOf = (slot: PageSlot, name: string): PageServer | undefined =>
  parts.flatMap((part) => (Object.hasOwn(part[slot] ?? {}, name) ? (part[slot]?.[name] ?? []) : []))[0];
