import type { HttpApiRoute } from "@faultline/plugin";
import { assembleBundle, type ProjectPathOf } from "./assemble.ts";
import { readUploadOptions, takeChunks } from "./chunk-upload.ts";

const organization = "/api/0/organizations/:organization";

/** The addresses by which Sentry's tools upload, for the API that clients of Sentry expect. */
export const uploadRoutes = (projectPathOf: ProjectPathOf): readonly HttpApiRoute[] => [
  { path: `${organization}/chunk-upload`, isRaw: true, methods: { GET: readUploadOptions, POST: takeChunks } },
  { path: `${organization}/artifactbundle/assemble`, methods: { POST: assembleBundle(projectPathOf) } },
];
