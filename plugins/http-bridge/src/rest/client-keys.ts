import { create } from "@bufbuild/protobuf";
import { timestampDate } from "@bufbuild/protobuf/wkt";
import { ServiceError } from "@faultline/plugin";
import {
  CreateClientKeyRequestSchema,
  DeleteClientKeyRequestSchema,
  ErrorReason,
  ListClientKeysRequestSchema,
  type ClientKey,
} from "@faultline/proto";
import { pageOf, setPageHeaders } from "./pages.ts";
import { wholeNumber } from "./params.ts";
import { projectOf } from "./projects.ts";
import type { Operation } from "./rest.ts";

export const listClientKeys: Operation = async (restCall) => {
  const { visit, call, params } = restCall;
  const { projectId } = projectOf(restCall);
  const page = pageOf(params);
  const request = create(ListClientKeysRequestSchema, {
    projectId,
    pageSize: page.perPage,
    skip: (page.page - 1) * page.perPage,
  });
  const { clientKeys = [], totalSize = 0 } = await visit.host.core.clientKey.listClientKeys(request, call);
  setPageHeaders(visit, page, totalSize);
  return { status: 200, body: clientKeys.map((key) => clientKeyBody(key as ClientKey)) };
};

export const createClientKey: Operation = async (restCall) => {
  const { visit, call } = restCall;
  const { projectId } = projectOf(restCall);
  const { clientKey } = await visit.host.core.clientKey.createClientKey(
    create(CreateClientKeyRequestSchema, { projectId }),
    call,
  );
  return { status: 201, body: clientKeyBody(clientKey as ClientKey) };
};

export const deleteClientKey: Operation = async (restCall) => {
  const { visit, call } = restCall;
  const { projectId } = projectOf(restCall);
  const keyId = wholeNumber(visit.path["key_id"]);
  if (keyId === undefined) throw new ServiceError(ErrorReason.CLIENT_KEY_NOT_FOUND, "There is no such client key.");
  const { clientKey } = await visit.host.core.clientKey.deleteClientKey(
    create(DeleteClientKeyRequestSchema, { projectId, keyId }),
    call,
  );
  return { status: 200, body: clientKeyBody(clientKey as ClientKey) };
};

/** The four fields of the original, then ours. */
function clientKeyBody(key: ClientKey): object {
  return {
    id: key.keyId,
    active: true,
    public_key: key.publicKey,
    sentry_dsn: key.dsn,
    legacy_dsn: key.legacyDsn,
    created_at: key.createdTime ? timestampDate(key.createdTime).toISOString() : null,
    last_used_at: key.lastUsedTime ? timestampDate(key.lastUsedTime).toISOString() : null,
  };
}
