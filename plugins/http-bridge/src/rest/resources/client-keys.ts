import { create } from "@bufbuild/protobuf";
import {
  CreateClientKeyRequestSchema,
  DeleteClientKeyRequestSchema,
  ErrorReason,
  ListClientKeysRequestSchema,
  type ClientKey,
} from "@faultline/proto";
import { isoTime } from "../iso-time.ts";
import { projectOf } from "../named-project.ts";
import { pageOf, pageRequest, setPageHeaders } from "../pages.ts";
import { idInPath } from "../path-parts.ts";
import type { Operation } from "../rest.ts";

export const listClientKeys: Operation = async (restCall) => {
  const { visit, call, params } = restCall;
  const { projectId } = projectOf(restCall);
  const page = pageOf(params);
  const request = create(ListClientKeysRequestSchema, { projectId, ...pageRequest(page) });
  const { clientKeys = [], totalSize = 0 } = await visit.host.core.clientKey.listClientKeys(request, call);
  setPageHeaders(visit, page, totalSize);
  return { status: 200, body: clientKeys.map((key) => clientKeyBody(key as ClientKey)) };
};

export const createClientKey: Operation = async (restCall) => {
  const { visit, call } = restCall;
  const request = create(CreateClientKeyRequestSchema, { projectId: projectOf(restCall).projectId });
  const { clientKey } = await visit.host.core.clientKey.createClientKey(request, call);
  return { status: 201, body: clientKeyBody(clientKey as ClientKey) };
};

/** Answers the deleted key, as the original does. */
export const deleteClientKey: Operation = async (restCall) => {
  const { visit, call } = restCall;
  const { projectId } = projectOf(restCall);
  const keyId = idInPath(restCall, "key_id", ErrorReason.CLIENT_KEY_NOT_FOUND);
  const request = create(DeleteClientKeyRequestSchema, { projectId, keyId });
  const { clientKey } = await visit.host.core.clientKey.deleteClientKey(request, call);
  return { status: 200, body: clientKeyBody(clientKey as ClientKey) };
};

/** The four fields of the original, then ours. Null: the token may not see it. */
function clientKeyBody(key: ClientKey): object {
  return {
    id: key.keyId,
    active: true,
    public_key: key.publicKey || null,
    sentry_dsn: key.dsn || null,
    legacy_dsn: key.legacyDsn || null,
    created_at: isoTime(key.createdTime),
    last_used_at: isoTime(key.lastUsedTime),
  };
}
