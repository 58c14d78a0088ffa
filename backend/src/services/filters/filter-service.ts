import { ServiceError, type Clock, type Handlers } from "@faultline/plugin";
import { ErrorReason, type FilterService } from "@faultline/proto";
import type { MikroORM } from "@mikro-orm/sql";
import type { CoreCall } from "../access/guard.ts";
import type { ClientKeys } from "../client-keys/client-keys.ts";
import { InboundFilterEntity, filtersToProto, type InboundFilterRow } from "./inbound-filters.ts";
import { spikeBudgetToProto } from "./spike-budget-to-proto.ts";
import { changedColumns } from "./filter-fields.ts";
import type { SpikeProtection } from "./spike-protection.ts";

/**
 * The filters of a project that never saved any. All are off: events are stored until the project's members decide
 * otherwise. A spike is not their decision, so spike protection is on.
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
      // One transaction, so that of two concurrent saves the second sees the first.
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
