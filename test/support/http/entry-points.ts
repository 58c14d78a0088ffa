import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import * as assert from "uvu/assert";
import { builtIn } from "../../../backend/src/built-in.ts";
import { ConsolePages } from "../../../backend/src/console-pages.ts";
import { MetricRegistry } from "../../../backend/src/host/metrics/registry.ts";
import { operations } from "../../../backend/src/services/operations.ts";
import { sdkRoutes } from "../../../plugins/http-bridge/src/routes.ts";
import { withPluginPages } from "../console/plugin-pages.ts";
import type { Project } from "../core/project.ts";
import { repositoryRoot, rootToken } from "../service/server.ts";
import { tempDir } from "../service/temp-dir.ts";
import { testConfig } from "../service/test-config.ts";

/** A request over HTTP that the service answers. Its path has names of existing things in place of parameters. */
export interface EntryPoint {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * All entry points over HTTP, from the tables of routes and the files of pages, so that new entry points are included.
 * Requests to REST and plugins have the administrator's token or `token`, and requests to pages have none.
 */
export async function entryPoints(server: { readonly url: string }, project: Project, token = rootToken) {
  const named = (path: string) => path.replaceAll(/:project\b|:id\b/g, String(project.id)).replaceAll(/:\w+/g, "1");
  const { all } = await builtIn(testConfig(tempDir()), {
    metrics: new MetricRegistry(),
    tracing: undefined,
    pages: new ConsolePages({ areElsewhere: true, log: { info() {}, warn() {}, error() {} } }),
    added: [],
  });
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  const rest = [...new Set([...operations, ...all.flatMap((plugin) => plugin.rest ?? [])])].map(
    ({ verb, path }): EntryPoint => ({
      method: verb,
      path: `/api/v4${named(path)}`,
      headers,
    }),
  );
  const apis = all
    .flatMap(({ api }) => api ?? [])
    .flatMap(({ routes }) => routes)
    .flatMap(({ path, methods }) =>
      Object.keys(methods).map((method): EntryPoint => ({ method, path: named(path), headers })),
    );
  const filled = (path: string) => path.replace("[...project]", project.path).replaceAll(/\[[^\]]*\]/g, "1");
  const pages = pageFiles().flatMap(({ path, methods }) =>
    withPluginPages(path).flatMap((route) =>
      methods.map((method): EntryPoint => ({
        method,
        path: filled(route),
        headers: method === "GET" ? {} : { origin: server.url, "content-type": "application/x-www-form-urlencoded" },
      })),
    ),
  );
  const ingestion = sdkRoutes.flatMap(({ pattern, methods }) => {
    const path = pattern.source
      .replace(/^\^|\/\?\$$/g, "")
      .replaceAll("\\", "")
      .replace("(?<project>[^/]+)", String(project.id))
      .replaceAll(/\(\?<key>\[\^\/\]\+\)/g, project.key)
      .replaceAll(/\(\?<\w+>\[\^\/\]\+\)/g, "1");
    return Object.keys(methods).map((method): EntryPoint => ({
      method,
      path: `${path}/?sentry_key=${project.key}`,
      headers,
    }));
  });
  // If a table could not be read, every test of it would pass.
  assert.ok(rest.length >= 100, `${rest.length} of REST`);
  assert.ok(apis.length >= 30, `${apis.length} of plugins`);
  assert.ok(ingestion.length >= 60, `${ingestion.length} of SDKs`);
  assert.ok(pages.length >= 60, `${pages.length} of the console`);
  return { rest, apis, pages, ingestion };
}

/** The paths of the console's pages and endpoints, with their methods. */
function pageFiles(): { path: string; methods: string[] }[] {
  const routes = join(repositoryRoot, "console/src/routes");
  const files = globSync(["**/+page.svelte", "**/+page.server.ts", "**/+server.ts"], { cwd: routes });
  return [...Map.groupBy(files, (file) => file.replace(/\/?\+.*$/, ""))].map(([folder, ofFolder]) => {
    const text = ofFolder
      .filter((file) => file.endsWith(".ts"))
      .map((file) => readFileSync(join(routes, file), "utf8"))
      .join();
    const isRead = ofFolder.some((file) => file.endsWith("+page.svelte")) || /export const GET\b/.test(text);
    const takesBody = /export const (?:actions|POST|PUT|PATCH)\b/.test(text);
    return {
      path: `/${folder}`.replaceAll(/\/\(\w+\)/g, ""),
      methods: [...(isRead ? ["GET"] : []), ...(takesBody ? ["POST"] : [])],
    };
  });
}
