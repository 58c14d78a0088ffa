import { serve } from "@faultline/plugin";
import { TrackerService } from "@faultline/proto";
import { trackerKinds } from "./kinds/tracker-kinds.ts";
import { addTracker, changeTracker, removeTracker } from "./stored-trackers.ts";
import type { TrackerRow } from "./tables.ts";
import { openTrackerConfig, trackersIn, trackerToProto } from "./tracker.ts";

/** The trackers of projects. `baseUrl` is the address of the console. */
export const trackerService = (baseUrl: () => string) =>
  serve(TrackerService, (host) => {
    const { database, secrets } = host;
    const shown = (row: TrackerRow) => trackerToProto(row, openTrackerConfig(secrets, row), baseUrl());
    return {
      async listTrackerKinds() {
        return {
          kinds: trackerKinds.map(({ kind, name, fields }) => ({
            kind,
            name,
            fields: fields.map(({ key, label, hint, isRequired, isSecret }) => {
              return { key, label, hint, required: isRequired, secret: isSecret };
            }),
          })),
        };
      },

      async listTrackers(_, { grant }) {
        return { trackers: (await trackersIn(database.read(), grant.project.id)).map(shown) };
      },

      async createTracker({ kind, name, fields, onlyComments }, { grant, caller }) {
        const given = { projectId: grant.project.id, kind, name, fields, onlyComments, by: caller.user.username };
        const { row, config } = await addTracker(host, given);
        return { tracker: trackerToProto(row, config, baseUrl()), webhookSecret: config.hookSecret };
      },

      async updateTracker(request, { grant }) {
        const { row, config } = await changeTracker(host, grant.project.id, request);
        const webhookSecret = request.rotateWebhookSecret ? config.hookSecret : "";
        return { tracker: trackerToProto(row, config, baseUrl()), webhookSecret };
      },

      async deleteTracker({ trackerId }, { grant }) {
        return { tracker: shown(await removeTracker(host, grant.project.id, trackerId)) };
      },
    };
  });
