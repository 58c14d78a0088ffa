import { json, offsetPage } from "../answers.ts";
import { resource } from "../operation.ts";
import { page, perPage } from "../parameters.ts";
import { ref } from "../schema.ts";

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
    delete: {
      id: "deleteClientKey",
      summary: "Delete a client key",
      more: "What is sent with it is refused from then on.",
      needs: ["Maintainer", "write"],
      answers: { 200: json("The deleted key.", ref("ClientKey")) },
    },
  },
});
