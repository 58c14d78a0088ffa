import { setTimeout } from "node:timers/promises";
import type { DescService } from "@bufbuild/protobuf";
import type { ServiceClient } from "@faultline/proto/grpc";
import { error, isRedirect, type RequestEvent } from "@sveltejs/kit";
import parts from "virtual:plugins/index.server";
import pages from "virtual:plugins/pages";
import type { Project } from "#lib/messages.ts";
import { running, type PageSlot } from "#lib/plugins/part.ts";
import { clientOf } from "#lib/server/core.ts";
import { logFailure } from "#lib/server/log-failure.ts";
import { refusalOfTrpc } from "#lib/server/trpc/procedures.ts";
import type { Call, HeaderCall, PageServer, PanelCall, PersonsClient } from "./server-part.ts";

interface Asked {
  readonly slot: PageSlot;
  /** The name of the page. */
  readonly name: string;
  readonly project: Project;
  readonly errorId?: string;
  /** The names of the plugins that run. */
  readonly plugins: readonly string[];
}

/**
 * The answer of the load of a plugin's page; undefined if the page has none. Pages of stopped plugins are not found.
 */
export async function pageData(
  event: Pick<RequestEvent, "locals" | "request" | "url">,
  { slot, name, project, errorId = "", plugins }: Asked,
): Promise<unknown> {
  if (!running(pages, plugins).some((part) => Object.hasOwn(part[slot] ?? {}, name))) error(404, "Page not found.");
  return serverOf(slot, name)?.load?.({ ...callOf(event), project, errorId });
}

/** The actions of all pages of a slot. `nameOf` returns the name of the requested page. */
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

/** The part of a request that loads and actions of plugins get. */
function callOf({ locals, request, url }: Pick<RequestEvent, "locals" | "request" | "url">): Call {
  return {
    api: locals.api,
    url,
    client<S extends DescService>(service: S) {
      const context = { token: locals.token, signal: request.signal };
      const methods = Object.entries(clientOf(service)) as [string, ServiceClient<S>[keyof ServiceClient<S>]][];
      return Object.fromEntries(
        methods.map(([name, call]) => [name, (message: never) => call(message, context)]),
      ) as unknown as PersonsClient<S>; // built from the same methods
    },
  };
}

/**
 * The time limit for a panel's data. The load of a panel may wait behind large calls, and nobody who looks for a cause
 * waits for suspect commits.
 */
const longestMs = 1_000;

type Reading = Pick<RequestEvent, "locals" | "platform" | "request" | "route" | "url">;

type AskedPanels = Pick<PanelCall, "project" | "errorId" | "event"> & {
  /** The names of the running plugins. */
  readonly plugins: readonly string[];
};

/**
 * The data of the panels next to an event, by plugin and panel: `activity/activity`. All panels are read concurrently;
 * the data is undefined if the load is refused, fails, or takes longer than a second.
 */
export async function panelData(
  event: Reading,
  { plugins, ...asked }: AskedPanels,
): Promise<Readonly<Record<string, unknown>>> {
  const call = { ...callOf(event), ...asked };
  const reading = running(parts, plugins).flatMap(({ plugin, errorAside = {} }) =>
    Object.entries(errorAside).map(async ([name, load]) => {
      const id = `${plugin}/${name}`;
      const data = Promise.race([load(call), setTimeout(longestMs, undefined, { ref: false })]);
      return [id, await data.catch((failure: unknown) => withoutData(event, failure))] as const;
    }),
  );
  return Object.fromEntries(await Promise.all(reading));
}

/**
 * The data of plugins' headers, by plugin; undefined if the load is refused or fails. All plugins are read, because the
 * reading begins before the page knows which plugins run.
 */
export async function headerData(
  event: Reading,
  asked: Pick<HeaderCall, "projectPath" | "errorId">,
): Promise<Readonly<Record<string, unknown>>> {
  const call = { ...callOf(event), ...asked };
  const reading = parts.map(async ({ plugin, errorHeader }) => {
    const data = await errorHeader?.(call).catch((failure: unknown) => withoutData(event, failure));
    return [plugin, data] as const;
  });
  return Object.fromEntries(await Promise.all(reading));
}

/** The page works without the data of a refused plugin. An unexpected failure is logged. */
function withoutData(event: Reading, failure: unknown): undefined {
  if (isRedirect(failure)) throw failure; // leads to the sign-in page
  if (refusalOfTrpc(failure).reason === "UNKNOWN") logFailure(event, failure);
}
