import { error, fail } from "@sveltejs/kit";
import type { ClientKey, ClientKeyTraffic } from "#lib/messages.ts";
import { outcomeWords } from "#lib/ingestion/outcome-words.ts";
import { periodHours, periods } from "#lib/charts/period.ts";
import { oneOf } from "#lib/preferences/preferences.ts";
import { action } from "#lib/server/action.ts";
import { settingsNeed } from "#lib/server/settings-need.ts";
import type { Api } from "#lib/server/trpc/caller.ts";
import { refusalOfTrpc } from "#lib/server/trpc/procedures.ts";
import { maskedKey } from "../../shown-key.ts";
import type { Actions, PageServerLoad } from "./$types";

const notFound = () => error(404, "This project has no such client key.", { reason: "CLIENT_KEY_NOT_FOUND" });

/** The id in the address; any other text is not found. */
function keyIdOf(text: string): number {
  return /^[1-9]\d{0,8}$/.test(text) ? Number(text) : notFound();
}

export const load: PageServerLoad = async ({ parent, params, url, locals, depends }) => {
  depends("console:client-key");
  const { project } = await parent();
  settingsNeed(project, project.capabilities?.adminErrorTracking);
  const named = { projectId: project.projectId, keyId: keyIdOf(params.key) };
  const key = await keyOf(locals.api, named);
  // The traffic of a deleted key still exists.
  const period = oneOf(periods, url.searchParams.get("period") ?? (key ? "24h" : "90d"));
  const traffic = await locals.api.clientKeys
    .getClientKeyTraffic({ ...named, hourCount: periodHours[period] })
    .catch((thrown: unknown) => {
      if (refusalOfTrpc(thrown).reason === "CLIENT_KEY_NOT_FOUND") return notFound();
      throw thrown;
    });
  return {
    keyId: named.keyId,
    key: key && withLimits(key),
    period,
    chart: charted(traffic),
    refused: traffic.refused.map(({ reason, quantity, bytes, lastTime }) => {
      const { setting, ...words } = outcomeWords({ kind: "OUTCOME_KIND_REFUSED", reason });
      const own = ownSettings[reason];
      const elsewhere = setting && { name: setting.name, href: setting.address(project.path) };
      return { ...words, setting: own ?? elsewhere, quantity: Number(quantity), bytes: Number(bytes), lastTime };
    }),
    networks: traffic.networks.map(({ network, quantity }) => ({ network, quantity: Number(quantity) })),
    otherNetworks: Number(traffic.otherNetworksQuantity),
  };
};

const withLimits = (key: ClientKey) => ({
  ...maskedKey(key),
  eventsPerMinute: key.eventsPerMinute,
  eventsPerDay: key.eventsPerDay,
  allowedOrigins: key.allowedOrigins,
});

/** The settings on this page that let refused events in. */
const ownSettings: Readonly<Record<string, { name: string; href: string }>> = {
  key_disabled: { name: "State", href: "#state" },
  key_limit: { name: "Limits", href: "#limits" },
  origin: { name: "Allowed origins", href: "#allowed_origins" },
};

const charted = ({ startTime, eventsPerHour, bytesPerHour }: ClientKeyTraffic) => ({
  startTime,
  events: eventsPerHour,
  bytes: bytesPerHour.map(Number),
});

/** Null if the project has no such key. */
async function keyOf(api: Api, asked: { projectId: number; keyId: number }): Promise<ClientKey | null> {
  try {
    return (await api.clientKeys.getClientKey(asked)).clientKey ?? null;
  } catch (thrown) {
    if (refusalOfTrpc(thrown).reason === "CLIENT_KEY_NOT_FOUND") return null;
    throw thrown;
  }
}

const keyInAddress = (params: { project: string; key: string }) => ({
  projectPath: params.project,
  keyId: keyIdOf(params.key),
});

export const actions: Actions = {
  state: async ({ request, locals, params }) => {
    const active = (await request.formData()).get("active") === "true";
    return action(
      async () => {
        const { clientKey } = await locals.api.clientKeys.updateClientKey({ ...keyInAddress(params), active });
        return { act: "state" as const, key: clientKey && withLimits(clientKey) };
      },
      { act: "state" as const },
    );
  },
  save: async ({ request, locals, params }) => {
    const fields = readKeyFields(await request.formData());
    const [eventsPerMinute, eventsPerDay] = [limitOf(fields.eventsPerMinute), limitOf(fields.eventsPerDay)];
    const refused = (status: number, field: string, message: string) =>
      fail(status, { act: "save" as const, fields, field, message });
    const noNumber = "Enter a whole number, or leave empty for no limit.";
    if (eventsPerMinute === undefined) return refused(400, "events_per_minute", noNumber);
    if (eventsPerDay === undefined) return refused(400, "events_per_day", noNumber);
    const run = async () => {
      const { clientKey } = await locals.api.clientKeys.updateClientKey({
        ...keyInAddress(params),
        eventsPerMinute,
        eventsPerDay,
        allowedOrigins: { origins: originsOf(fields.allowedOrigins) },
      });
      return { act: "save" as const, key: clientKey && withLimits(clientKey) };
    };
    return action(run, { act: "save" as const, fields });
  },
};

/** The typed values of the form of a key. */
interface KeyFields {
  readonly eventsPerMinute: string;
  readonly eventsPerDay: string;
  /** One origin per line. */
  readonly allowedOrigins: string;
}

/** The submitted form. */
function readKeyFields(form: FormData): KeyFields {
  const text = (name: string) => String(form.get(name) ?? "").trim();
  return {
    eventsPerMinute: text("events_per_minute"),
    eventsPerDay: text("events_per_day"),
    allowedOrigins: text("allowed_origins"),
  };
}

/** A typed limit, a whole number. An empty field and 0 mean no limit. Undefined for any other text. */
function limitOf(text: string): number | undefined {
  if (text === "") return 0;
  return /^\d{1,9}$/.test(text) ? Number(text) : undefined;
}

/** The origins in the lines; spaces and commas also separate them. */
function originsOf(text: string): string[] {
  return text.split(/[\s,]+/).filter((origin) => origin !== "");
}
