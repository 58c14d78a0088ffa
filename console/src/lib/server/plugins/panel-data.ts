import { setTimeout } from "node:timers/promises";
import { isRedirect, type RequestEvent } from "@sveltejs/kit";
import parts from "virtual:plugins/index.server";
import { running } from "#lib/plugins/running.ts";
import { logFailure } from "#lib/server/log-failure.ts";
import { refusalOfTrpc } from "#lib/server/trpc/procedures.ts";
import { callOf } from "./call.ts";
import type { HeaderCall, PanelCall } from "./server-part.ts";

/**
 * A page waits no longer for a panel. The load of a panel may wait for its turn behind large calls, and nobody who looks for a cause waits
 * for suspect commits.
 */
const longestMs = 1_000;

type Reading = Pick<RequestEvent, "locals" | "platform" | "request" | "route" | "url">;

type Asked = Pick<PanelCall, "project" | "errorId" | "event"> & {
  /** The names of the plugins that run. */
  readonly plugins: readonly string[];
};

/**
 * The data of the panels beside an event, by plugin and panel: `activity/activity`. All are read at the same time; undefined for a panel
 * whose load is refused, fails, or takes longer than a second.
 */
export async function panelData(
  event: Reading,
  { plugins, ...asked }: Asked,
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
 * The data of the headers of plugins, by plugin. Undefined for a plugin whose load is refused or fails. All plugins are read, because the
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

/** The page is complete without the data of a plugin that was refused. An unexpected failure is logged. */
function withoutData(event: Reading, failure: unknown): undefined {
  if (isRedirect(failure)) throw failure; // to the sign-in page
  if (refusalOfTrpc(failure).reason === "UNKNOWN") logFailure(event, failure);
}
