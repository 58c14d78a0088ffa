import { alive, health, ready } from "./health.ts";
import { receiveEnvelope, receivePixel, receiveSecurityReports, receiveStore } from "./ingest/endpoints.ts";
import { ingestion } from "./ingest/ingestion.ts";
import { createClientKey, deleteClientKey, listClientKeys } from "./rest/client-keys.ts";
import { createProject, getProject, listProjects, updateProject } from "./rest/projects.ts";
import { as, rest, unknownRoutes } from "./rest/rest.ts";
import { getSettings, patchSettings, putSettings } from "./rest/settings.ts";
import type { Route } from "./visit.ts";

const store = { POST: receiveStore, GET: receivePixel };
const envelope = { POST: receiveEnvelope };
const security = { POST: receiveSecurityReports };

/** Every address of the bridge; all other paths are the console's. A trailing slash is never redirected. */
export const routes: readonly Route[] = [
  // SDK ingestion; the second form is the one DSNs of the original have (protocol reference, section 1).
  ingestion("/api/:project/store", "error", store),
  ingestion("/api/:project/envelope", "default", envelope),
  ingestion("/api/:project/security", "security", security),
  ingestion("/api/:project/csp-report", "security", security),
  ingestion("/api/v4/error_tracking/collector/api/:project/store", "error", store),
  ingestion("/api/v4/error_tracking/collector/api/:project/envelope", "default", envelope),
  ingestion("/api/v4/error_tracking/collector/api/:project/security", "security", security),
  ingestion("/api/store", "error", store), // the project is the key's own

  // REST (specification 4.1 and 9.1)
  rest("/api/v4/projects", {
    GET: as("ProjectService.ListProjects", listProjects),
    POST: as("ProjectService.CreateProject", createProject),
  }),
  rest("/api/v4/projects/:project", {
    GET: as("ProjectService.GetProject", getProject),
    PUT: as("ProjectService.UpdateProject", updateProject),
  }),
  rest("/api/v4/projects/:project/error_tracking/client_keys", {
    GET: as("ClientKeyService.ListClientKeys", listClientKeys),
    POST: as("ClientKeyService.CreateClientKey", createClientKey),
  }),
  rest("/api/v4/projects/:project/error_tracking/client_keys/:key_id", {
    DELETE: as("ClientKeyService.DeleteClientKey", deleteClientKey),
  }),
  rest("/api/v4/projects/:project/error_tracking/settings", {
    GET: as("SettingsService.GetSettings", getSettings),
    PUT: as("SettingsService.UpdateSettings", putSettings),
    PATCH: as("SettingsService.UpdateSettings", patchSettings),
  }),

  unknownRoutes("/api"),

  // Health
  health("/-/health", alive),
  health("/-/readiness", ready),
];
