import type { BuildTool } from "../language.ts";

const tool = (version: string): BuildTool => ({ name: "sentry-cli", sdk: "@sentry/cli", version, remarks: [] });

/** The newest of release 2, which the plugins of bundlers before version 11 run. */
export const sentryCli = tool("2.58.6");

export const newestSentryCli = tool("3.8.0");
