import { pageSizeOf, pageToken, readPageToken, ServiceError, type Handlers } from "@faultline/plugin";
import { ClientKeyService, ErrorReason } from "@faultline/proto";
import type { CoreCall } from "../access/guard.ts";
import type { ClientKeys } from "./client-keys.ts";

/** Client keys of a project (specification 4.1). They can be made while error tracking is off, as in the original. */
export function clientKeyService(clientKeys: ClientKeys): Handlers<typeof ClientKeyService, CoreCall> {
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

    async deleteClientKey({ projectId, keyId }) {
      const clientKey = await clientKeys.delete(projectId, keyId);
      if (!clientKey) throw new ServiceError(ErrorReason.CLIENT_KEY_NOT_FOUND, "This project has no such client key.");
      return { clientKey };
    },
  };
}
