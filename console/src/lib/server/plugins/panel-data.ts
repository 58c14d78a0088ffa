import { setTimeout } from "node:timers/promises";
import { isRedirect, type RequestEvent } from "@sveltejs/kit";
import parts from "virtual:plugins/index.server";
import { running } from "#lib/plugins/running.ts";
import { logFailure } from "#lib/server/log-failure.ts";
import { refusalOfTrpc } from "#lib/server/trpc/procedures.ts";
import { callOf } from "./call.ts";
import type { PanelCall } from "./server-part.ts";

/**
 * A page waits no longer for a panel. The load of a panel may wait for its turn behind large calls, and nobody who looks for a cause waits
 * for suspect commits.
 */
const longestMs = 1_000;

type Asked = Pick<PanelCall, "project" | "errorId" | "event"> & {
  /** The names of the plugins that run. */
  readonly plugins: readonly string[];
};

/**
 * The data of the panels beside an event, by plugin and panel: `activity/activity`. All are read at the same time; undefined for a panel
 * whose load is refused, fails, or takes longer than a second.
 */
export async function panelData(
  event: Pick<RequestEvent, "locals" | "platform" | "request" | "route" | "url">,
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

/** The page is complete without a panel that was refused. What nobody expected is logged. */
function withoutData(event: Pick<RequestEvent, "platform" | "route">, failure: unknown): undefined {
  if (isRedirect(failure)) throw failure; // to the sign-in page
  if (refusalOfTrpc(failure).reason === "UNKNOWN") logFailure(event, failure);
}
