/** Writes docs/permissions.md. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { repositoryRoot } from "../support/service/server.ts";
import { permissionsDocument } from "./document.ts";

writeFileSync(join(repositoryRoot, "docs/permissions.md"), permissionsDocument());
