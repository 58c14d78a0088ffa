import type { MessageInitShape } from "@bufbuild/protobuf";
import { invalidField } from "@faultline/plugin";
import {
  badParameter,
  count,
  flag,
  flagParam,
  inline,
  isoTime,
  list,
  single,
  operation,
  orNull,
  part,
  present,
  revisionParam,
  shape,
  text,
  time,
  type Parameter,
} from "@faultline/plugin/rest";
import {
  FilterService,
  type GetFiltersResponse,
  type InboundFilters,
  type SpikeBudget,
  type UpdateFiltersRequestSchema,
} from "@faultline/proto";

const tag = "Inbound filters";
const { method } = FilterService;

type Changes = Omit<MessageInitShape<typeof UpdateFiltersRequestSchema>, "$typeName" | "$unknown">;
type Filters = Pick<GetFiltersResponse, "filters" | "spikeBudget">;

/** The switches by their names in the message, with the descriptions of the field and the parameter. */
const switches = {
  web_crawlers: ["webCrawlers", "Events of web crawlers are stopped.", "Stop events of web crawlers."],
  old_browsers: ["oldBrowsers", "Events of old browsers are stopped.", "Stop events of old browsers."],
  browser_extensions: [
    "browserExtensions",
    "Events that browser extensions caused are stopped.",
    "Stop events that browser extensions caused.",
  ],
  localhost: ["localhost", "Events of developers' machines are stopped.", "Stop events of developers' machines."],
  spike_protection: [
    "spikeProtection",
    "A spike that exceeds the budget is sampled.",
    "Sample a spike that exceeds the budget.",
  ],
} as const;

/** A list in JSON, or a text with one entry a line, as forms send it. */
function entriesParam(description: string, examples: string[]): Parameter<string[] | undefined> {
  return {
    schema: {
      anyOf: [list(text("", { maxLength: 200 }), { maxItems: 100 }), text("One entry a line.", { maxLength: 20_100 })],
      description,
      examples: [examples],
    },
    read(value, name) {
      if (value === undefined || value === null) return undefined;
      const entries: unknown = typeof value === "string" ? value.split(/\r?\n/) : value;
      if (!Array.isArray(entries) || !entries.every((entry) => typeof entry === "string"))
        throw badParameter(name, "is invalid");
      return entries;
    },
  };
}

const lists = {
  addresses: entriesParam("Senders to stop: addresses and networks.", ["203.0.113.0/24"]),
  releases: entriesParam("Patterns of releases: `*` stands for any characters, `?` for one.", ["web@1.*"]),
  environments: entriesParam("Patterns of environments.", ["test-*"]),
  messages: entriesParam("Patterns of messages, of titles, and of exceptions as `type: value`.", [
    "*ResizeObserver loop*",
  ]),
  types: entriesParam("Patterns of the types of exceptions.", ["AbortError"]),
};
type ListName = keyof typeof lists;

const changes = {
  ...lists,
  ...(mapped(switches, ([, , description]) => flagParam(description)) as Readonly<
    Record<keyof typeof switches, Parameter<boolean | undefined>>
  >),
  revision: revisionParam,
};

const saved = (answer: Filters): InboundFilters => present(answer.filters);

const spikeBudget = inline<SpikeBudget>("How many events are let in before they are sampled.", {
  total: [
    count("Events at once; it fills up again within a day. 0: there is no budget."),
    ({ totalCount }) => Number(totalCount),
  ],
  left: [count("How many of them are left."), ({ leftCount }) => Number(leftCount)],
  usual_day: [count("Events on the usual day of the last seven."), ({ usualDayCount }) => Number(usualDayCount)],
  begins_at: [
    orNull(time("Nothing is sampled before this time; null: the time has passed.")),
    ({ beginsTime }) => isoTime(beginsTime),
  ],
});

const filters = shape<Filters>("InboundFilters", "The events that a project keeps out.", {
  ...mapped(lists, (_, name) => [
    list(text(""), { maxItems: 100, description: `The ${name} that are stopped.` }),
    (answer: Filters) => saved(answer)[name as ListName],
  ]),
  ...mapped(switches, ([field, description]) => [flag(description), (answer: Filters) => saved(answer)[field]]),
  spike_budget: part(spikeBudget, (answer) => present(answer.spikeBudget)),
  revision: [count("Grows with each change."), (answer) => saved(answer).revision],
  updated_at: [orNull(time("When they were last saved; null: never.")), (answer) => isoTime(saved(answer).updatedTime)],
});

export const getFilters = operation(method.getFilters, "GET /projects/:project/error_tracking/filters", {
  tag,
  summary: "Read the inbound filters",
  more: "Also returns what is left of the budget for spikes.",
  answer: single(200, "The filters.", filters),
  run: ({ invoke }) => invoke({}),
});

export const patchFilters = operation(method.updateFilters, "PATCH /projects/:project/error_tracking/filters", {
  id: "patchFilters",
  tag,
  summary: "Change the inbound filters",
  more: "Filters that are not named stay as they are. A name that is not known, or a bad entry, is refused with 400, and nothing is changed.",
  params: changes,
  answer: single(200, "The filters as stored.", filters),
  refuses: [409],
  async run({ sent, params, invoke }) {
    refuseUnknown(Object.keys(sent));
    const { revision } = params;
    const named: Record<string, unknown> = revision === undefined ? {} : { revision };
    for (const name of Object.keys(lists) as ListName[]) {
      const entries = params[name];
      if (entries) named[name] = { entries };
    }
    for (const [name, [field]] of Object.entries(switches)) named[field] = params[name as keyof typeof switches];
    return invoke(named as Changes); // by the names of the message, as the tables say
  },
});

/**
 * Unlike elsewhere, an unknown name is refused: a person who writes `message` for `messages` would believe that a flood
 * is stopped.
 */
function refuseUnknown(names: readonly string[]): void {
  const unknown = names.find((name) => !Object.hasOwn(changes, name))?.slice(0, 50);
  if (unknown === undefined) return;
  throw invalidField(unknown, `There is no filter "${unknown}". Name some of ${Object.keys(changes).join(", ")}.`);
}

/** The same names with other values. */
function mapped<Value, Result>(
  table: Readonly<Record<string, Value>>,
  to: (value: Value, name: string) => Result,
): Record<string, Result> {
  return Object.fromEntries(Object.entries(table).map(([name, value]) => [name, to(value, name)]));
}
