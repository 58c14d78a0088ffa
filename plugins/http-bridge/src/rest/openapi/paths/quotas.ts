import { json } from "../answers.ts";
import { resource } from "../operation.ts";
import { ref, type Schema } from "../schema.ts";

const limit = (what: string): Schema => ({
  description: `${what}: a whole number of bytes, 0 for no limit, or 1,000,000 (1 MB) to 1,000,000,000,000,000 (1 PB).`,
  anyOf: [
    { type: "integer", const: 0 },
    { type: "integer", minimum: 1e6, maximum: 1e15 },
    { type: "string", const: "default", description: "Takes back what was set." },
  ],
});

const fields = {
  day_limit_bytes: limit("Bytes that may be received in a UTC day"),
  kept_limit_bytes: limit("Bytes that may be kept"),
};

const more = "What is not given stays as it is.";
const ofProject = json("The limits and what is used of them.", ref("Quota"));
const ofAll = json("The limits of the projects that have none of their own.", ref("DefaultQuota"));

export const quotaPaths = resource("Quotas", {
  "/projects/{project}/error_tracking/quota": {
    get: {
      id: "getQuota",
      summary: "Read how much a project may send and keep, and what it uses of that",
      needs: ["Reporter", "read"],
      answers: { 200: ofProject },
    },
    put: {
      id: "updateQuota",
      summary: "Set the limits of a project",
      more,
      needs: ["Administrator", "write"],
      body: { fields },
      answers: { 200: ofProject },
    },
  },
  "/application/quotas": {
    get: {
      id: "listQuotas",
      summary: "List the projects that keep most",
      needs: ["Administrator", "read"],
      answers: { 200: json("At most 100, the one that keeps most first.", ref("Quotas")) },
    },
  },
  "/application/default_quota": {
    get: {
      id: "getDefaultQuota",
      summary: "Read the limits of the projects that have none of their own",
      needs: ["Administrator", "read"],
      answers: { 200: ofAll },
    },
    put: {
      id: "updateDefaultQuota",
      summary: "Set the limits of the projects that have none of their own",
      more,
      needs: ["Administrator", "write"],
      body: { fields },
      answers: { 200: ofAll },
    },
  },
});
