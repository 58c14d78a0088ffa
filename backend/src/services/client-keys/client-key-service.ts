import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { pageSizeOf, pageToken, readPageToken, type Handlers } from "@faultline/plugin";
import {
  ClientKeyService,
  GetClientKeyTrafficRequestSchema,
  type GetClientKeyTrafficResponseSchema,
} from "@faultline/proto";
import type { CoreCall } from "../access/guard.ts";
import type { ClientKeys } from "./client-keys.ts";
import type { KeyTraffic } from "./key-traffic.ts";

/**
 * Client keys of a project (specification 4.1). Like the original, allows creating keys while error tracking is off.
 */
export function clientKeyService(
  clientKeys: ClientKeys,
  traffic: KeyTraffic,
): Handlers<typeof ClientKeyService, CoreCall> {
  return {
    async createClientKey({ projectId }) {
      return { clientKey: await clientKeys.create(projectId) };
    },

    async listClientKeys(request, { seesKeys }) {
      const list = `client keys ${request.projectId}`;
      const place = readPageToken(list, request.pageToken, ["number"]);
      const size = pageSizeOf(request);
      const keys = await clientKeys.list(request.projectId, {
        afterId: place?.[0] ?? 0,
        skip: place ? 0 : request.skip,
        limit: size + 1,
        seesKeys,
      });
      const page = keys.slice(0, size);
      return {
        clientKeys: page,
        nextPageToken: keys.length > size ? pageToken(list, [page.at(-1)?.keyId ?? 0]) : "",
        totalSize: await clientKeys.count(request.projectId),
      };
    },

    async getClientKey({ projectId, keyId }, { seesKeys }) {
      return { clientKey: await clientKeys.get(projectId, keyId, { seesKeys }) };
    },

    async updateClientKey(request) {
      return { clientKey: await clientKeys.update(request) };
    },

    async getClientKeyTraffic(request) {
      const answer = await traffic.read(request);
      const { projectId, keyId } = request;
      // A deleted key has no row, but its traffic is kept for 90 days.
      const ever = create(GetClientKeyTrafficRequestSchema, { projectId, keyId, hourCount: 90 * 24 });
      if (isEmpty(answer) && isEmpty(await traffic.read(ever))) {
        await clientKeys.get(projectId, keyId, { seesKeys: false }); // refuses a key that never existed
      }
      return answer;
    },

    async deleteClientKey({ projectId, keyId }) {
      return { clientKey: await clientKeys.delete(projectId, keyId) };
    },
  };
}

const isEmpty = ({ eventsPerHour = [], refused = [] }: MessageInitShape<typeof GetClientKeyTrafficResponseSchema>) =>
  refused.length === 0 && eventsPerHour.every((count) => count === 0);
