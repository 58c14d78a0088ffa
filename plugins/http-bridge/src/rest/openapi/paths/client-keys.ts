import { json, offsetPage } from "../answers.ts";
import { resource } from "../operation.ts";
import { page, perPage, period } from "../parameters.ts";
import { flag, list, orNull, positive, ref, text } from "../schema.ts";

const keys = "/projects/{project}/error_tracking/client_keys";

export const clientKeyPaths = resource("Client keys", {
  [keys]: {
    get: {
      id: "listClientKeys",
      summary: "List the client keys of a project",
      more: "A token of scope `read_api` gets their ids and times; keys and DSNs are null, as they let their holder send.",
      needs: ["Maintainer", "read"],
      query: [page, perPage],
      answers: { 200: offsetPage("The keys, the oldest first.", "ClientKey") },
    },
    post: {
      id: "createClientKey",
      summary: "Make a client key",
      more: "It works beside the keys that exist, so that a leaked one can be replaced. A project has at most 50. Where the integrated backend is not offered, it is refused with 404 and the reason in `message`.",
      needs: ["Maintainer", "write"],
      answers: { 201: json("The new key, with its DSN.", ref("ClientKey")) },
    },
  },
  [`${keys}/{key_id}`]: {
    get: {
      id: "getClientKey",
      summary: "Read a client key",
      needs: ["Maintainer", "read"],
      answers: { 200: json("The key.", ref("ClientKey")) },
    },
    put: {
      id: "updateClientKey",
      summary: "Change a client key",
      more: "What is not given stays as it is. It takes effect within a second. A limit a minute above the limit a day is refused.",
      needs: ["Maintainer", "write"],
      body: {
        fields: {
          active: flag("False: what is sent with it is refused with 403."),
          events_per_minute: orNull(
            positive("How many events it may send in a minute; null: no limit.", { maximum: 1_000_000 }),
          ),
          events_per_day: orNull(positive("The same in a day, UTC; null: no limit.", { maximum: 100_000_000 })),
          allowed_origins: list(text("Scheme, host and port.", { examples: ["https://*.example.com"] }), {
            maxItems: 20,
            description:
              "The origins whose pages may send with it; empty: all. They stop noise from other web pages, not scripts: any program can send any origin.",
          }),
        },
      },
      answers: { 200: json("The key as it is now.", ref("ClientKey")) },
    },
    delete: {
      id: "deleteClientKey",
      summary: "Delete a client key",
      more: "What is sent with it is refused from then on.",
      needs: ["Maintainer", "write"],
      answers: { 200: json("The deleted key.", ref("ClientKey")) },
    },
  },
  [`${keys}/{key_id}/traffic`]: {
    get: {
      id: "getClientKeyTraffic",
      summary: "Read what was sent with a client key",
      more: "Also of a key that was deleted, for 90 days.",
      needs: ["Maintainer", "read"],
      query: [period("24h")],
      answers: { 200: json("What was sent.", ref("ClientKeyTraffic")) },
    },
  },
});
