import { headers, responses } from "./answers.ts";
import type { Paths } from "./operation.ts";
import { accessTokenPaths } from "./paths/access-tokens.ts";
import { clientKeyPaths } from "./paths/client-keys.ts";
import { errorPaths } from "./paths/errors.ts";
import { filterPaths } from "./paths/filters.ts";
import { installationPaths } from "./paths/installation.ts";
import { memberPaths, memberRolePaths } from "./paths/members.ts";
import { projectPaths } from "./paths/projects.ts";
import { quotaPaths } from "./paths/quotas.ts";
import { releasePaths } from "./paths/releases.ts";
import { settingsPaths } from "./paths/settings.ts";
import { userPaths } from "./paths/users.ts";
import { schemas } from "./schemas.ts";

const paths: Paths = {
  ...clientKeyPaths,
  ...settingsPaths,
  ...filterPaths,
  ...errorPaths,
  ...releasePaths,
  ...quotaPaths,
  ...projectPaths,
  ...memberPaths,
  ...memberRolePaths,
  ...userPaths,
  ...accessTokenPaths,
  ...installationPaths,
};

const tags = [
  ...new Set(Object.values(paths).flatMap((path) => Object.values(path).flatMap((operation) => operation.tags))),
];

/** The REST API as an OpenAPI 3.1 document. It holds nothing of this installation, so everybody may read it. */
export const openApiDocument = {
  openapi: "3.1.0",
  info: {
    title: "Faultline REST API",
    version: "v4",
    description:
      "Parameters may come in the query, in a form or in JSON, whichever suits; names that are not known are passed over. " +
      "HEAD is answered wherever GET is. What the caller may not see is answered as if it did not exist.",
    license: { name: "MIT", identifier: "MIT" },
  },
  servers: [{ url: "/api/v4", description: "The address this document came from." }],
  security: [{ privateToken: [] }, { bearer: [] }],
  tags: tags.map((name) => ({ name })),
  paths,
  components: {
    schemas,
    responses,
    headers,
    securitySchemes: {
      privateToken: {
        type: "apiKey",
        in: "header",
        name: "PRIVATE-TOKEN",
        description:
          "`PRIVATE-TOKEN: <token>`: a personal access token. A person makes one in the console, under Personal access tokens.",
      },
      bearer: {
        type: "http",
        scheme: "bearer",
        description: "`Authorization: Bearer <token>`: the same token in another header.",
      },
    },
  },
} as const;
