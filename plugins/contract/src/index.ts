/** What the core and its plugins agree on. */
export * from "./core.ts";
export * from "./deprecations.ts";
export * from "./error-backend.ts";
export * from "./event-door.ts";
export * from "./hour-window.ts";
export * from "./http-api.ts";
export * from "./ingest-queue.ts";
export * from "./metrics.ts";
export * from "./outbound.ts";
export * from "./page-token.ts";
export * from "./plugin.ts";
export * from "./service-error.ts";
export * from "./start-refusal.ts";
export * from "./status-changes.ts";
export * from "./times.ts";
