import { isRedirect, type RequestEvent } from "@sveltejs/kit";
import parts from "virtual:plugins/index.server";
import { running } from "#lib/plugins/running.ts";
import { logFailure } from "#lib/server/log-failure.ts";
import { refusalOfTrpc } from "#lib/server/trpc/procedures.ts";
import { callOf } from "./call.ts";
import type { PanelCall } from "./server-part.ts";

type Asked = Pick<PanelCall, "project" | "errorId" | "event"> & {
  /** The names of the plugins that run. */
  readonly plugins: readonly string[];
};

/** The data of the panels beside an event, by plugin and panel: `activity/activity`. All are read at the same time. */
export async function panelData(
  event: Pick<RequestEvent, "locals" | "platform" | "request" | "route" | "url">,
  { plugins, ...asked }: Asked,
): Promise<Readonly<Record<string, unknown>>> {
  const call = { ...callOf(event), ...asked };
  const reading = running(parts, plugins).flatMap(({ plugin, errorAside = {} }) =>
    Object.entries(errorAside).map(async ([name, load]) => {
      const id = `${plugin}/${name}`;
      return [id, await load(call).catch((failure: unknown) => withoutData(event, failure))] as const;
    }),
  );
  return Object.fromEntries(await Promise.all(reading));
}

/** The page is complete without a panel that was refused. What nobody expected is logged. */
function withoutData(event: Pick<RequestEvent, "platform" | "route">, failure: unknown): undefined {
  if (isRedirect(failure)) throw failure; // to the sign-in page
  if (refusalOfTrpc(failure).reason === "UNKNOWN") logFailure(event, failure);
}
