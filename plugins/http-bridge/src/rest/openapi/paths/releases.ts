import { cursorPage, json } from "../answers.ts";
import { resource } from "../operation.ts";
import { cursor, environment, period, perPage } from "../parameters.ts";
import { ref } from "../schema.ts";

const releases = "/projects/{project}/error_tracking/releases";

export const releasePaths = resource("Releases", {
  [releases]: {
    get: {
      id: "listReleases",
      summary: "List the releases that had sessions",
      needs: ["Reporter", "read"],
      query: [period("7d"), environment, perPage, cursor],
      answers: { 200: cursorPage("The releases, the newest first.", "Release") },
      refuses: [422, 429],
    },
  },
  [`${releases}/{version}/sessions`]: {
    get: {
      id: "getSessionStats",
      summary: "Count the sessions of a release by hour",
      needs: ["Reporter", "read"],
      query: [period("24h"), environment],
      answers: { 200: json("The sessions of each hour.", ref("SessionStats")) },
      refuses: [422, 429],
    },
  },
  "/projects/{project}/error_tracking/outcomes": {
    get: {
      id: "listOutcomes",
      summary: "Count what was not stored",
      needs: ["Reporter", "read"],
      query: [period("24h")],
      answers: { 200: json("The counts.", ref("Outcomes")) },
    },
  },
});
