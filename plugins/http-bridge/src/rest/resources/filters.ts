import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { invalidField } from "@faultline/plugin";
import {
  GetFiltersRequestSchema,
  UpdateFiltersRequestSchema,
  type GetFiltersResponse,
  type InboundFilters,
  type SpikeBudget,
} from "@faultline/proto";
import { badParameter } from "../http-error.ts";
import { isoTime } from "../iso-time.ts";
import { projectOf } from "../named-project.ts";
import { booleanParam, revisionParam, type Params } from "../params.ts";
import type { Operation } from "../rest.ts";

/** The lists and switches, by their names here and in the message. */
const lists = {
  addresses: "addresses",
  releases: "releases",
  environments: "environments",
  messages: "messages",
  types: "types",
} as const;
const switches = {
  web_crawlers: "webCrawlers",
  old_browsers: "oldBrowsers",
  browser_extensions: "browserExtensions",
  localhost: "localhost",
  spike_protection: "spikeProtection",
} as const;

export const getFilters: Operation = async (restCall) => {
  const { visit, call } = restCall;
  const request = create(GetFiltersRequestSchema, { projectId: projectOf(restCall).projectId });
  return { status: 200, body: body((await visit.host.core.filters.getFilters(request, call)) as GetFiltersResponse) };
};

/** Changes the filters that are named. */
export const patchFilters: Operation = async (restCall) => {
  const { visit, call, params } = restCall;
  const changes = changesOf(params);
  const request = create(UpdateFiltersRequestSchema, { projectId: projectOf(restCall).projectId, ...changes });
  return {
    status: 200,
    body: body((await visit.host.core.filters.updateFilters(request, call)) as GetFiltersResponse),
  };
};

type Changes = Omit<MessageInitShape<typeof UpdateFiltersRequestSchema>, "$typeName" | "$unknown">;

/**
 * Unlike elsewhere, a name that is not known is refused: whoever writes `message` for `messages` would think that a flood
 * is stopped.
 */
function changesOf(params: Params): Changes {
  const known = [...Object.keys(lists), ...Object.keys(switches), "revision"];
  const unknown = Object.keys(params).find((name) => !known.includes(name));
  if (unknown !== undefined) {
    throw invalidField(
      unknown.slice(0, 50),
      `There is no filter "${unknown.slice(0, 50)}". Name some of ${known.join(", ")}.`,
    );
  }
  const revision = revisionParam(params);
  const changes: Record<string, unknown> = revision === undefined ? {} : { revision };
  for (const [name, field] of Object.entries(lists)) {
    const entries = entriesParam(params, name);
    if (entries) changes[field] = { entries };
  }
  for (const [name, field] of Object.entries(switches)) {
    const isOn = booleanParam(params, name);
    if (isOn !== undefined) changes[field] = isOn;
  }
  return changes; // by the names of the message, as the tables say
}

/** A list in JSON, or a text with one entry a line, as a form has it. */
function entriesParam(params: Params, name: string): string[] | undefined {
  const sent = params[name];
  if (sent === undefined || sent === null) return undefined;
  const entries: unknown = typeof sent === "string" ? sent.split(/\r?\n/) : sent;
  if (!Array.isArray(entries) || !entries.every((entry) => typeof entry === "string"))
    throw badParameter(name, "is invalid");
  return entries as string[]; // as checked
}

function body({ filters, spikeBudget }: GetFiltersResponse): object {
  const { revision, updatedTime, ...saved } = filters as InboundFilters; // the guarded core answers whole messages
  const { totalCount, leftCount, usualDayCount, beginsTime } = spikeBudget as SpikeBudget;
  const named = (table: Readonly<Record<string, keyof typeof saved>>) =>
    Object.fromEntries(Object.entries(table).map(([name, field]) => [name, saved[field]]));
  return {
    ...named(lists),
    ...named(switches),
    spike_budget: {
      total: Number(totalCount),
      left: Number(leftCount),
      usual_day: Number(usualDayCount),
      begins_at: isoTime(beginsTime),
    },
    revision,
    updated_at: isoTime(updatedTime),
  };
}
