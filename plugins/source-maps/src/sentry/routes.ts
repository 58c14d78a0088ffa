import type { HttpApiRoute } from "@faultline/plugin";
import { assembleBundle } from "./assemble.ts";
import { readUploadOptions, takeChunks } from "./chunk-upload.ts";
import { assembleDebugFiles } from "./debug-files.ts";
import { refuseFileList, refuseFiles } from "./legacy-files.ts";
import { takeMappings } from "./mappings.ts";
import type { ProjectPathOf } from "./project-key.ts";

const organization = "/api/0/organizations/:organization";
const project = "/api/0/projects/:organization/:project";

/** The addresses by which Sentry's tools upload, for the API that clients of Sentry expect. */
export const uploadRoutes = (projectPathOf: ProjectPathOf): readonly HttpApiRoute[] => [
  {
    path: `${organization}/chunk-upload`,
    isRaw: true,
    takes: { GET: [], POST: [] },
    methods: { GET: readUploadOptions, POST: takeChunks },
  },
  {
    path: `${organization}/artifactbundle/assemble`,
    takes: { POST: [] },
    methods: { POST: assembleBundle(projectPathOf) },
  },
  {
    path: `${project}/files/difs/assemble`,
    takes: { POST: [] },
    methods: { POST: assembleDebugFiles(projectPathOf) },
  },
  {
    path: `${project}/files/dsyms`,
    isRaw: true,
    takes: { POST: [] },
    methods: { POST: takeMappings(projectPathOf) },
  },
  // They refuse every call, whatever its parameters are: the sentence about the address is the one that helps.
  ...[organization, project].flatMap((of) => [
    { path: `${of}/releases/:version/files`, isRaw: true, methods: { GET: refuseFileList, POST: refuseFiles } },
    { path: `${of}/releases/:version/assemble`, methods: { POST: refuseFiles } },
  ]),
];
