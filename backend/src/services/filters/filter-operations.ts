import {
  badParameter,
  bodyOf,
  fieldsWithin,
  flagParam,
  list,
  mapped,
  operation,
  paramsOf,
  part,
  present,
  revisionParam,
  single,
  text,
  type Parameter,
} from "@faultline/plugin/rest";
import {
  FilterService,
  GetFiltersResponseSchema,
  InboundFiltersSchema,
  SpikeBudgetSchema,
  type GetFiltersResponse,
} from "@faultline/proto";

const tag = "Inbound filters";
const { method } = FilterService;

const entries = { maxItems: 100 };
const saved = bodyOf(InboundFiltersSchema, {
  projectId: false,
  addresses: entries,
  releases: entries,
  environments: entries,
  messages: entries,
  types: entries,
  revision: {
    schema: {
      description:
        "Increases with each save. Send it back with a change, so that you do not overwrite someone else's save. 0 if never saved.",
    },
  },
  updatedTime: null,
});
const spikeBudget = bodyOf(
  SpikeBudgetSchema,
  { totalCount: "total", leftCount: "left", usualDayCount: "usual_day", beginsTime: null },
  { name: null },
);
const filters = bodyOf(
  GetFiltersResponseSchema,
  { filters: false, spikeBudget: false },
  {
    name: "InboundFilters",
    description: "The events that a project keeps out.",
    further: {
      ...fieldsWithin(saved.fields, ({ filters: of }: GetFiltersResponse) => present(of)),
      spike_budget: part(spikeBudget, ({ spikeBudget: of }) => present(of)),
    },
  },
);

/** A list in JSON, or in forms a text with an entry per line. A message in the core, so that it may be omitted. */
function entriesParam(description: string, examples: string[]): Parameter<unknown> {
  const lines: Parameter<string[] | undefined> = {
    schema: {
      anyOf: [list(text("", { maxLength: 200 }), entries), text("One entry a line.", { maxLength: 20_100 })],
      description,
      examples: [examples],
    },
    read(value, name) {
      if (value === undefined || value === null) return undefined;
      const sent: unknown = typeof value === "string" ? value.split(/\r?\n/) : value;
      if (!Array.isArray(sent) || !sent.every((entry) => typeof entry === "string"))
        throw badParameter(name, "is invalid");
      return sent;
    },
  };
  return mapped(lines, (found) => ({ entries: found }));
}

export const getFilters = operation(method.getFilters, "GET /projects/:project/error_tracking/filters", {
  tag,
  summary: "Read the inbound filters",
  more: "Also returns what is left of the budget for spikes.",
  answer: single(200, "The filters.", filters),
});

export const patchFilters = operation(method.updateFilters, "PATCH /projects/:project/error_tracking/filters", {
  id: "patchFilters",
  tag,
  summary: "Change the inbound filters",
  more: "Omitted filters keep their values. An unknown name or a bad entry is refused with 400, and nothing is changed.",
  params: paramsOf(method.updateFilters.input, {
    addresses: entriesParam("Senders to stop: addresses and networks.", ["203.0.113.0/24"]),
    releases: entriesParam("Patterns of releases: `*` stands for any characters, `?` for one.", ["web@1.*"]),
    environments: entriesParam("Patterns of environments.", ["test-*"]),
    messages: entriesParam("Patterns of messages, of titles, and of exceptions as `type: value`.", [
      "*ResizeObserver loop*",
    ]),
    types: entriesParam("Patterns of the types of exceptions.", ["AbortError"]),
    webCrawlers: flagParam("Stop events of web crawlers."),
    oldBrowsers: flagParam("Stop events of old browsers."),
    browserExtensions: flagParam("Stop events that browser extensions caused."),
    localhost: flagParam("Stop events of developers' machines."),
    spikeProtection: flagParam("Sample a spike that exceeds the budget."),
    revision: revisionParam,
  }),
  answer: single(200, "The filters as stored.", filters),
  refuses: [409],
});
