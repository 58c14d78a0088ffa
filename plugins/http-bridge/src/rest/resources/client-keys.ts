import { create } from "@bufbuild/protobuf";
import {
  CreateClientKeyRequestSchema,
  DeleteClientKeyRequestSchema,
  GetClientKeyRequestSchema,
  GetClientKeyTrafficRequestSchema,
  ErrorReason,
  ListClientKeysRequestSchema,
  UpdateClientKeyRequestSchema,
  type ClientKey,
  type GetClientKeyTrafficResponse,
} from "@faultline/proto";
import { isoTime } from "../iso-time.ts";
import { projectOf } from "../named-project.ts";
import { pageOf, pageRequest, setPageHeaders } from "../pages.ts";
import { booleanParam, numberParam, textsParam, type Params } from "../params.ts";
import { idInPath } from "../path-parts.ts";
import { hoursOf } from "../period.ts";
import type { Operation, RestCall } from "../rest.ts";

export const listClientKeys: Operation = async (restCall) => {
  const { visit, call, params } = restCall;
  const { projectId } = projectOf(restCall);
  const page = pageOf(params);
  const request = create(ListClientKeysRequestSchema, { projectId, ...pageRequest(page) });
  const { clientKeys = [], totalSize = 0 } = await visit.host.core.clientKeys.listClientKeys(request, call);
  setPageHeaders(visit, page, totalSize);
  return { status: 200, body: clientKeys.map((key) => clientKeyBody(key as ClientKey)) };
};

export const createClientKey: Operation = async (restCall) => {
  const { visit, call } = restCall;
  const request = create(CreateClientKeyRequestSchema, { projectId: projectOf(restCall).projectId });
  const { clientKey } = await visit.host.core.clientKeys.createClientKey(request, call);
  return { status: 201, body: clientKeyBody(clientKey as ClientKey) };
};

export const getClientKey: Operation = async (restCall) => {
  const { visit, call } = restCall;
  const request = create(GetClientKeyRequestSchema, namedKey(restCall));
  const { clientKey } = await visit.host.core.clientKeys.getClientKey(request, call);
  return { status: 200, body: clientKeyBody(clientKey as ClientKey) };
};

export const updateClientKey: Operation = async (restCall) => {
  const { visit, call, params } = restCall;
  const active = booleanParam(params, "active");
  const eventsPerMinute = limitParam(params, "events_per_minute");
  const eventsPerDay = limitParam(params, "events_per_day");
  const origins = textsParam(params, "allowed_origins");
  const request = create(UpdateClientKeyRequestSchema, {
    ...namedKey(restCall),
    ...(active !== undefined && { active }),
    ...(eventsPerMinute !== undefined && { eventsPerMinute }),
    ...(eventsPerDay !== undefined && { eventsPerDay }),
    ...(origins && { allowedOrigins: { origins } }),
  });
  const { clientKey } = await visit.host.core.clientKeys.updateClientKey(request, call);
  return { status: 200, body: clientKeyBody(clientKey as ClientKey) };
};

/** What was sent with a key in a `period`, a day unless given. */
export const getClientKeyTraffic: Operation = async (restCall) => {
  const { visit, call, params } = restCall;
  const hourCount = hoursOf(params, "24h");
  const request = create(GetClientKeyTrafficRequestSchema, { ...namedKey(restCall), hourCount });
  const answer = await visit.host.core.clientKeys.getClientKeyTraffic(request, call);
  const traffic = answer as GetClientKeyTrafficResponse;
  return {
    status: 200,
    body: {
      start: isoTime(traffic.startTime),
      interval: "1h",
      event_counts: traffic.eventsPerHour,
      byte_counts: traffic.bytesPerHour.map(Number),
      refused: traffic.refused.map(({ reason, quantity, bytes, lastTime }) => ({
        reason,
        quantity: Number(quantity),
        bytes: Number(bytes),
        last_at: isoTime(lastTime),
      })),
      networks: traffic.networks.map(({ network, quantity }) => ({ network, quantity: Number(quantity) })),
      other_networks_quantity: Number(traffic.otherNetworksQuantity),
    },
  };
};

/** Answers the deleted key, as the original does. */
export const deleteClientKey: Operation = async (restCall) => {
  const { visit, call } = restCall;
  const request = create(DeleteClientKeyRequestSchema, namedKey(restCall));
  const { clientKey } = await visit.host.core.clientKeys.deleteClientKey(request, call);
  return { status: 200, body: clientKeyBody(clientKey as ClientKey) };
};

function namedKey(restCall: RestCall) {
  const { projectId } = projectOf(restCall);
  return { projectId, keyId: idInPath(restCall, "key_id", ErrorReason.CLIENT_KEY_NOT_FOUND) };
}

/** A number of events. Null, as a key without a limit has it, and 0: no limit. */
function limitParam(params: Params, name: string): number | undefined {
  const value = params[name];
  return value === null || value === 0 || value === "0" ? 0 : numberParam(params, name);
}

/** The four fields of the original, then ours. Null: the token may not see it. */
function clientKeyBody(key: ClientKey): object {
  return {
    id: key.keyId,
    active: key.active,
    public_key: key.publicKey || null,
    sentry_dsn: key.dsn || null,
    legacy_dsn: key.legacyDsn || null,
    created_at: isoTime(key.createdTime),
    last_used_at: isoTime(key.lastUsedTime),
    events_per_minute: key.eventsPerMinute || null,
    events_per_day: key.eventsPerDay || null,
    allowed_origins: key.allowedOrigins,
  };
}
