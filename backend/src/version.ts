import { readFileSync } from "node:fs";
import { join } from "node:path";
import { installation } from "./installation.ts";

const manifest: unknown = JSON.parse(readFileSync(join(installation, "backend/package.json"), "utf8"));

/** The version of the service. */
export const version = String((manifest as { version: unknown }).version);
