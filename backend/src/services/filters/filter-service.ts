import type { MessageInitShape } from "@bufbuild/protobuf";
import { ServiceError, type Clock, type Handlers, timestamp, invalidField, isNetwork } from "@faultline/plugin";
import {
  ErrorReason,
  type FilterService,
  type SpikeBudgetSchema,
  type FilterList,
  type UpdateFiltersRequest,
} from "@faultline/proto";
import type { MikroORM } from "@mikro-orm/sql";
import type { CoreCall } from "../access/guard.ts";
import type { ClientKeys } from "../client-keys/client-keys.ts";
import { InboundFilterEntity, filtersToProto, type InboundFilterRow } from "./inbound-filters.ts";
import type { SpikeProtection, Budget } from "./spike-protection.ts";

/**
 * The filters of a project that never saved any. All are off: events are stored until the project's members decide
 * otherwise. Spike protection is on because a spike is not their decision.
 */
const unsaved = {
  addresses: "",
  releases: "",
  environments: "",
  messages: "",
  types: "",
  webCrawlers: false,
  oldBrowsers: false,
  browserExtensions: false,
  localhost: false,
  spikeProtection: true,
  spikesSampledFrom: 0,
  revision: 0,
  updatedAt: 0,
} as const satisfies Omit<InboundFilterRow, "projectId">;

/** Inbound filters and spike protection of projects. */
export function filterService(parts: {
  orm: MikroORM;
  clock: Clock;
  clientKeys: ClientKeys;
  spikes: SpikeProtection;
}): Handlers<typeof FilterService, CoreCall> {
  const { orm, clock, clientKeys, spikes } = parts;

  const message = (row: InboundFilterRow) => ({
    filters: filtersToProto(row),
    spikeBudget: spikeBudgetToProto(spikes.budget(row.projectId), row, clock.now()),
  });

  return {
    async getFilters({ projectId }) {
      const row = await orm.em.fork().findOne(InboundFilterEntity, { projectId });
      return message(row ?? { projectId, ...unsaved });
    },

    async updateFilters(request) {
      const { projectId, revision } = request;
      const changes = changedColumns(request);
      // A transaction, so that the second of two concurrent saves sees the first.
      const row = await orm.em.fork().transactional(async (em) => {
        const stored = await em.findOne(InboundFilterEntity, { projectId });
        if (revision !== undefined && revision !== (stored?.revision ?? 0)) {
          throw new ServiceError(
            ErrorReason.SETTINGS_CHANGED,
            "Someone else has changed these filters. Reload them and repeat your change.",
          );
        }
        const changed = stored ?? em.create(InboundFilterEntity, { projectId, ...unsaved });
        Object.assign(changed, changes);
        changed.revision++;
        changed.updatedAt = clock.now();
        return changed;
      });
      clientKeys.projectChanged(); // filters are cached with the keys, here and in all other processes
      return message(row);
    },
  };
}

/** The budget is not in the row: it is this process's view of the budget. */
function spikeBudgetToProto(
  { total, left, usualDay }: Budget,
  { spikesSampledFrom }: Pick<InboundFilterRow, "spikesSampledFrom">,
  now: number,
): MessageInitShape<typeof SpikeBudgetSchema> {
  return {
    totalCount: BigInt(Math.floor(total)),
    leftCount: BigInt(left),
    usualDayCount: BigInt(usualDay),
    ...(spikesSampledFrom > now && { beginsTime: timestamp(spikesSampledFrom) }),
  };
}

const mostEntries = 100;
const mostCharacters = 200;

/** The columns that a request changes. Refuses the first invalid entry with INVALID_FIELD. */
export function changedColumns(request: UpdateFiltersRequest): Partial<InboundFilterRow> {
  const { addresses, releases, environments, messages, types } = request;
  const { webCrawlers, oldBrowsers, browserExtensions, localhost, spikeProtection } = request;
  return {
    ...(addresses && { addresses: columnOf("addresses", addresses, checkAddress) }),
    ...(releases && { releases: columnOf("releases", releases, checkPattern) }),
    ...(environments && { environments: columnOf("environments", environments, checkPattern) }),
    ...(messages && { messages: columnOf("messages", messages, checkPattern) }),
    ...(types && { types: columnOf("types", types, checkPattern) }),
    ...(webCrawlers !== undefined && { webCrawlers }),
    ...(oldBrowsers !== undefined && { oldBrowsers }),
    ...(browserExtensions !== undefined && { browserExtensions }),
    ...(localhost !== undefined && { localhost }),
    ...(spikeProtection !== undefined && { spikeProtection }),
  };
}

/** Returns the fault of an entry; undefined if it has none. */
type Check = (entry: string) => string | undefined;

function columnOf(field: string, list: FilterList, check: Check): string {
  const entries = new Set(list.entries.map((entry) => entry.trim()).filter((entry) => entry !== ""));
  if (entries.size > mostEntries) {
    throw invalidField(field, `The list has ${entries.size} entries. Keep at most ${mostEntries}.`);
  }
  for (const entry of entries) {
    const fault = checkText(entry) ?? check(entry);
    if (fault !== undefined) throw invalidField(field, fault);
  }
  return [...entries].join("\n");
}

const checkText: Check = (entry) => {
  if (entry.length > mostCharacters) {
    return `The entry "${entry.slice(0, 20)}..." has ${entry.length} characters. Use at most ${mostCharacters}.`;
  }
  if (/\p{Cc}/u.test(entry))
    return `An entry contains a line break or another control character. Write one entry per line.`;
  return undefined;
};

const checkAddress: Check = (entry) => {
  if (!isNetwork(entry)) {
    return `"${entry}" is neither an IP address nor a network. Write it as 203.0.113.7, 203.0.113.0/24 or 2001:db8::/32.`;
  }
  if (/^::ffff:/i.test(entry))
    return `Write the IPv4 address in "${entry}" without ::ffff:, because senders are compared in that form.`;
  if (/\/0+$/.test(entry)) return `"${entry}" covers every address. To accept no events, turn error tracking off.`;
  return undefined;
};

const checkPattern: Check = (entry) =>
  /[^*?]/.test(entry)
    ? undefined
    : `The pattern "${entry}" matches every text. Add characters to match, such as *timeout*. To accept no events, turn error tracking off.`;
