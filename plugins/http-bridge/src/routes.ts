import type { Access, HttpApi } from "@faultline/plugin";
import type { RestOperation } from "@faultline/plugin/rest";
import { alive, health, ready } from "./health.ts";
import { receiveEnvelope, receivePixel, receiveSecurityReports, receiveStore } from "./ingest/endpoints.ts";
import { ingestion } from "./ingest/ingestion.ts";
import { notKeptRoutes, otlpRoutes } from "./ingest/not-kept.ts";
import { receiveReport, sendReportDialog } from "./ingest/report-dialog/report-dialog.ts";
import { metricsRoute, type PublishedMetrics } from "./metrics-route.ts";
import { apiRoutes } from "./plugin-api.ts";
import { documentRoutes } from "./rest/openapi/document-routes.ts";
import { openApiDocument } from "./rest/openapi/document.ts";
import { restRoutes, unknownRoutes } from "./rest/rest.ts";
import { signingKeys } from "./signing-keys.ts";
import type { Route } from "./request-context.ts";

const store = { POST: receiveStore, GET: receivePixel };
const envelope = { POST: receiveEnvelope };
const security = { POST: receiveSecurityReports };
const reportDialog = { POST: receiveReport, GET: sendReportDialog };

/**
 * The paths of DSNs before the project (protocol reference, section 1): ours, and the two that DSNs of the original
 * have. SDKs append `/api`.
 */
const dsnPaths = ["", "/api/v4/error_tracking/collector", "/errortracking/api/v1/projects"];

/** The addresses to which SDKs send. */
export const sdkRoutes: readonly Route[] = [
  ...dsnPaths.flatMap((path) => [
    ingestion(`${path}/api/:project/store`, "error", store),
    ingestion(`${path}/api/:project/envelope`, "default", envelope),
    ingestion(`${path}/api/:project/security`, "security", security),
    ingestion(`${path}/api/:project/csp-report`, "security", security),
    ingestion(`${path}/api/embed/error-page`, "feedback", reportDialog),
    ...notKeptRoutes(path),
  ]),
  ingestion("/api/store", "error", store), // the project of the key
  ...otlpRoutes(""),
];

/** The routes of SDKs and REST clients; those of plugins come after them. A trailing slash is never redirected. */
function doors(operations: readonly RestOperation[], { leastRole }: Access): readonly Route[] {
  const document = openApiDocument(operations, leastRole);
  return [...sdkRoutes, ...restRoutes(operations), ...documentRoutes(document), signingKeys];
}

/** Every process answers these. */
const healthRoutes: readonly Route[] = [health("/-/health", alive), health("/-/readiness", ready)];

/** Addresses that nobody serves, not even the console. */
const unknown: readonly Route[] = [
  unknownRoutes("/api"),
  unknownRoutes("/errortracking/api"),
  unknownRoutes("/-/jwks"), // an address of the platform that was removed (specification 9.3)
];

/** All routes of a process; all other paths are the console's. */
export function routesOf(
  parts: {
    /** Whether SDKs and REST clients are served. */
    readonly isOpen: boolean;
    readonly operations: readonly RestOperation[];
    readonly apis: readonly HttpApi[];
    readonly metrics: PublishedMetrics;
    readonly baseUrl: string | undefined;
  },
  access: Access,
): readonly Route[] {
  const { isOpen, operations, apis, metrics, baseUrl } = parts;
  const called = isOpen ? [...doors(operations, access), ...apis.flatMap(apiRoutes)] : [];
  return [...called, ...healthRoutes, metricsRoute(metrics, baseUrl), ...unknown];
}
