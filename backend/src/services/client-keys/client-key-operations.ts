import { ClientKeyService, ErrorReason, type ClientKey, type GetClientKeyTrafficResponse } from "@faultline/proto";
import {
  count,
  each,
  flag,
  flagParam,
  hours,
  idInPath,
  inline,
  isoTime,
  list,
  numbered,
  numberedPage,
  numberParam,
  operation,
  orNull,
  pageOf,
  periodParam,
  positive,
  present,
  shape,
  single,
  text,
  textsParam,
  time,
  type Parameter,
} from "@faultline/plugin/rest";

const tag = "Client keys";
const { method } = ClientKeyService;

/** A token that may not see keys gets null. */
export const hiddenKey = "Null for a token without the scope `api`, and where the integrated backend is not offered.";

const origins =
  "The origins whose pages may send with it; empty: all. They stop noise from other web pages, not scripts: any program can send any origin.";

/** The four fields of the original, then ours. */
const clientKey = shape<ClientKey>("ClientKey", "A client key. It lets SDKs send, so treat it as a secret.", {
  id: [positive("The key."), (key) => key.keyId],
  active: [flag("Events sent with it are accepted; false: it was disabled."), (key) => key.active],
  public_key: [
    orNull(
      text("`flck_` and 32 hexadecimal digits; the digits alone of keys made before they had a prefix. " + hiddenKey, {
        pattern: "^(flck_)?[0-9a-f]{32}$",
      }),
    ),
    (key) => key.publicKey || null,
  ],
  sentry_dsn: [orNull(text(`The DSN to give to an SDK. ${hiddenKey}`)), (key) => key.dsn || null],
  legacy_dsn: [
    orNull(text(`The DSN with a secret part, for old senders that ask for one, such as runners. ${hiddenKey}`)),
    (key) => key.legacyDsn || null,
  ],
  created_at: [time("When it was made."), (key) => isoTime(key.createdTime)],
  last_used_at: [orNull(time("When an SDK last used it; null: never.")), (key) => isoTime(key.lastUsedTime)],
  events_per_minute: [
    orNull(positive("How many events it may send in a minute; null: no limit of its own.")),
    (key) => key.eventsPerMinute || null,
  ],
  events_per_day: [orNull(positive("The same in a day, UTC.")), (key) => key.eventsPerDay || null],
  allowed_origins: [
    list(text("Such as `https://example.com` or `https://*.example.com`."), { maxItems: 20, description: origins }),
    (key) => key.allowedOrigins,
  ],
});

const refused = inline<GetClientKeyTrafficResponse["refused"][number]>("What was refused for a reason.", {
  reason: [text("Why, such as `rate_limit`."), ({ reason }) => reason],
  quantity: [count("How many."), ({ quantity }) => Number(quantity)],
  bytes: [count("Bytes of their bodies, where those were read."), ({ bytes }) => Number(bytes)],
  last_at: [time("The hour of the last one."), ({ lastTime }) => isoTime(lastTime)],
});

const network = inline<GetClientKeyTrafficResponse["networks"][number]>(
  "A network that sent events, accepted or refused, on the days that the period touches.",
  {
    network: [text("Such as `192.0.2.0/24` or `2001:db8:0:1::/64`."), (sender) => sender.network],
    quantity: [count("How many."), ({ quantity }) => Number(quantity)],
  },
);

const traffic = shape<GetClientKeyTrafficResponse>("ClientKeyTraffic", "What was sent with a client key.", {
  ...hours,
  event_counts: [
    list(count(""), { description: "Events that were accepted in each hour, the oldest first." }),
    ({ eventsPerHour }) => eventsPerHour,
  ],
  byte_counts: [
    list(count(""), { description: "Bytes of the bodies in each hour as they were sent, accepted or refused." }),
    ({ bytesPerHour }) => bytesPerHour.map(Number),
  ],
  refused: each(refused, (sent) => sent.refused, { description: "The most frequent first." }),
  networks: each(network, (sent) => sent.networks, { maxItems: 50, description: "Those that sent most first." }),
  other_networks_quantity: [
    count("What all other networks sent."),
    ({ otherNetworksQuantity }) => Number(otherNetworksQuantity),
  ],
});

const path = { key_id: idInPath("The client key.", ErrorReason.CLIENT_KEY_NOT_FOUND) };

export const listClientKeys = operation(method.listClientKeys, "GET /projects/:project/error_tracking/client_keys", {
  tag,
  summary: "List the client keys of a project",
  more: "A token of scope `read_api` gets their ids and times; keys and DSNs are null, because anyone who holds them can send events.",
  params: numbered,
  answer: numberedPage("The keys, the oldest first.", clientKey),
  async run({ params, invoke }) {
    const { clientKeys: items, totalSize } = await invoke(pageOf(params));
    return { items, totalSize };
  },
});

export const createClientKey = operation(method.createClientKey, "POST /projects/:project/error_tracking/client_keys", {
  tag,
  summary: "Make a client key",
  more: "It works beside the keys that exist, so that a leaked one can be replaced. A project has at most 50. Where the integrated backend is not offered, it is refused with 404 and the reason in `message`.",
  answer: single(201, "The new key, with its DSN.", clientKey),
  run: async ({ invoke }) => present((await invoke({})).clientKey),
});

export const getClientKey = operation(
  method.getClientKey,
  "GET /projects/:project/error_tracking/client_keys/:key_id",
  {
    tag,
    summary: "Read a client key",
    path,
    answer: single(200, "The key.", clientKey),
    run: async ({ path: { key_id: keyId }, invoke }) => present((await invoke({ keyId })).clientKey),
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
    params: {
      active: flagParam("False: what is sent with it is refused with 403."),
      events_per_minute: eventLimit("How many events it may send in a minute; null: no limit.", 1_000_000),
      events_per_day: eventLimit("The same in a day, UTC; null: no limit.", 100_000_000),
      allowed_origins: textsParam(
        list(text("Scheme, host and port.", { examples: ["https://*.example.com"] }), {
          maxItems: 20,
          description: origins,
        }),
      ),
    },
    answer: single(200, "The key as it is now.", clientKey),
    async run({ path: { key_id: keyId }, params, invoke }) {
      const {
        active,
        events_per_minute: eventsPerMinute,
        events_per_day: eventsPerDay,
        allowed_origins: given,
      } = params;
      const allowedOrigins = given && { origins: [...given] };
      const { clientKey: key } = await invoke({ keyId, active, eventsPerMinute, eventsPerDay, allowedOrigins });
      return present(key);
    },
  },
);

/** As in the original, the answer is the deleted key. */
export const deleteClientKey = operation(
  method.deleteClientKey,
  "DELETE /projects/:project/error_tracking/client_keys/:key_id",
  {
    tag,
    summary: "Delete a client key",
    more: "What is sent with it is refused from then on.",
    path,
    answer: single(200, "The deleted key.", clientKey),
    run: async ({ path: { key_id: keyId }, invoke }) => present((await invoke({ keyId })).clientKey),
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
    params: { period: periodParam("24h") },
    answer: single(200, "What was sent.", traffic),
    run: ({ path: { key_id: keyId }, params: { period: hourCount }, invoke }) => invoke({ keyId, hourCount }),
  },
);

/** A number of events. 0 and null, which a key without a limit has, mean no limit. */
function eventLimit(description: string, maximum: number): Parameter<number | undefined> {
  const { schema, read } = numberParam(description, { maximum });
  return {
    schema: orNull(schema),
    read: (value, name) => (value === null || value === 0 || value === "0" ? 0 : read(value, name)),
  };
}
