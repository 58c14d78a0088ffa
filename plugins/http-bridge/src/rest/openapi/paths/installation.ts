import { cursorPage, json } from "../answers.ts";
import { resource } from "../operation.ts";
import { cursor, perPage, query } from "../parameters.ts";
import { choice, flag, positive, ref, text } from "../schema.ts";

const metadata = { needs: ["User", "read"], answers: { 200: json("What is offered.", ref("Metadata")) } } as const;
const reporting = json("Where failures are reported.", ref("OwnErrorReporting"));
const release = text("A release of the platform, such as `17.0`. Absent: the one this installation stands for.", {
  pattern: "^\\d{1,3}\\.\\d{1,3}$",
});

export const installationPaths = resource("Installation", {
  "/metadata": { get: { id: "getMetadata", summary: "Read what is offered here", ...metadata } },
  "/version": { get: { id: "getVersion", summary: "Read what is offered here", more: "As /metadata.", ...metadata } },
  "/audit_events": {
    get: {
      id: "listAuditEvents",
      summary: "List administrative acts",
      needs: ["Administrator", "read"],
      query: [
        query("author_id", positive("Only those of this user.")),
        query("entity_type", choice("Together with `entity_id`.", ["Project"])),
        query("entity_id", positive("Only those in this project.")),
        query("pagination", choice("The form of pagination.", ["keyset"])),
        query("order_by", choice("The order.", ["id"])),
        query("sort", choice("Its direction.", ["desc"])),
        perPage,
        cursor,
      ],
      answers: { 200: cursorPage("The acts, the newest first.", "AuditEvent") },
    },
  },
  "/application/error_reporting": {
    get: {
      id: "getOwnErrorReporting",
      summary: "Read where the installation reports its own failures",
      needs: ["Administrator", "read"],
      answers: { 200: reporting },
    },
    put: {
      id: "updateOwnErrorReporting",
      summary: "Set where the installation reports its own failures",
      more: "What is not given stays as it is. The system behind the DSN is asked for its version, within three seconds: what it reports counts more than `external_version`, and a version before 21.5.0 is refused from platform release 17.0 on.",
      needs: ["Administrator", "write"],
      body: {
        fields: {
          enabled: flag("Send reports."),
          dsn: text("Where to; empty removes it.", { maxLength: 1024 }),
          project_id: positive("The newest DSN of this project instead."),
          environment: text("The environment they carry.", { maxLength: 64 }),
          external_version: text(
            "The version of the system behind the DSN, such as `24.1.0`, if the system does not report it itself.",
            { maxLength: 64 },
          ),
        },
      },
      answers: { 200: reporting },
      refuses: [404],
    },
  },
  "/deprecations": {
    get: {
      id: "listDeprecations",
      summary: "List what the platform deprecates and removes",
      needs: ["User", "read"],
      query: [
        query("area", choice("Only this interface.", ["rest", "graphql", "external_system"])),
        query("release", release),
        query("touched_in", { ...release, description: "Only what was announced or removed in this release." }),
      ],
      answers: { 200: json("The notices, the next removal first.", ref("Deprecations")) },
    },
  },
});
