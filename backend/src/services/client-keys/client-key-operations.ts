import {
  bodyOf,
  fromOne,
  hours,
  idInPath,
  list,
  numberedPage,
  numberParam,
  operation,
  orNull,
  paramsOf,
  periodParam,
  single,
  text,
  textsParam,
  type Parameter,
} from "@faultline/plugin/rest";
import {
  ClientKeySchema,
  ClientKeyService,
  ErrorReason,
  GetClientKeyTrafficResponseSchema,
  KeyRefusalsSchema,
  SenderNetworkSchema,
} from "@faultline/proto";

const tag = "Client keys";
const { method } = ClientKeyService;

const origins =
  "The origins whose pages may send with it; empty: all. They stop noise from other web pages, not scripts: any program can send any origin.";

/** Uses the field names of the original if it has the field. */
const clientKey = bodyOf(ClientKeySchema, {
  keyId: "id",
  projectId: false,
  publicKey: { orNull: true, schema: { pattern: "^(flck_)?[0-9a-f]{32}$" } },
  dsn: { as: "sentry_dsn", orNull: true },
  legacyDsn: null,
  lastUsedTime: null,
  eventsPerMinute: { orNull: true, schema: fromOne },
  eventsPerDay: { orNull: true, schema: fromOne },
  allowedOrigins: { maxItems: 20 },
});

const traffic = bodyOf(
  GetClientKeyTrafficResponseSchema,
  {
    startTime: false,
    eventsPerHour: "event_counts",
    bytesPerHour: "byte_counts",
    refused: { of: bodyOf(KeyRefusalsSchema, {}, { name: null }) },
    networks: { of: bodyOf(SenderNetworkSchema, {}, { name: null }), maxItems: 50 },
  },
  { name: "ClientKeyTraffic", description: "What was sent with a client key.", further: hours },
);

const givenOrigins = textsParam(
  list(text("Scheme, host and port.", { examples: ["https://*.example.com"] }), { maxItems: 20, description: origins }),
);

/** A message in the core, so that omitting the list leaves it unchanged. */
const allowedOrigins: Parameter<unknown> = {
  schema: givenOrigins.schema,
  read(value, name) {
    const read = givenOrigins.read(value, name);
    return read && { origins: read };
  },
};

const path = { key_id: idInPath("The client key.", ErrorReason.CLIENT_KEY_NOT_FOUND) };

export const listClientKeys = operation(method.listClientKeys, "GET /projects/:project/error_tracking/client_keys", {
  tag,
  summary: "List the client keys of a project",
  more: "A token of scope `read_api` gets their ids and times; keys and DSNs are null, because anyone who holds them can send events.",
  answer: numberedPage("The keys, the oldest first.", clientKey),
});

export const createClientKey = operation(method.createClientKey, "POST /projects/:project/error_tracking/client_keys", {
  tag,
  summary: "Make a client key",
  more: "It works beside the keys that exist, so that a leaked one can be replaced. A project has at most 50. Where the integrated backend is not offered, it is refused with 404 and the reason in `message`.",
  answer: single(201, "The new key, with its DSN.", clientKey),
});

export const getClientKey = operation(
  method.getClientKey,
  "GET /projects/:project/error_tracking/client_keys/:key_id",
  {
    tag,
    summary: "Read a client key",
    path,
    answer: single(200, "The key.", clientKey),
  },
);

export const updateClientKey = operation(
  method.updateClientKey,
  "PUT /projects/:project/error_tracking/client_keys/:key_id",
  {
    tag,
    summary: "Change a client key",
    more: "Omitted fields keep their values. It takes effect within a second. A limit a minute above the limit a day is refused.",
    path,
    params: paramsOf(method.updateClientKey.input, {
      eventsPerMinute: eventLimit("How many events it may send in a minute; null: no limit.", 1_000_000),
      eventsPerDay: eventLimit("The same in a day, UTC; null: no limit.", 100_000_000),
      allowedOrigins,
    }),
    answer: single(200, "The key as it is now.", clientKey),
  },
);

/** Answers with the deleted key, like the original. */
export const deleteClientKey = operation(
  method.deleteClientKey,
  "DELETE /projects/:project/error_tracking/client_keys/:key_id",
  {
    tag,
    summary: "Delete a client key",
    more: "What is sent with it is refused from then on.",
    path,
    answer: single(200, "The deleted key.", clientKey),
  },
);

export const getClientKeyTraffic = operation(
  method.getClientKeyTraffic,
  "GET /projects/:project/error_tracking/client_keys/:key_id/traffic",
  {
    tag,
    summary: "Read what was sent with a client key",
    more: "Also of a key that was deleted, for 90 days.",
    path,
    params: paramsOf(method.getClientKeyTraffic.input, {
      startTime: false,
      hourCount: { as: "period", ...periodParam("24h") },
    }),
    answer: single(200, "What was sent.", traffic),
  },
);

/** A number of events. 0 and null (the value of a key without a limit) mean no limit. */
function eventLimit(description: string, maximum: number): Parameter<number | undefined> {
  const { schema, read } = numberParam(description, { maximum });
  return {
    schema: orNull(schema),
    read: (value, name) => (value === null || value === 0 || value === "0" ? 0 : read(value, name)),
  };
}
