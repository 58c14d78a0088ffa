/** The plugins of the product. No other file names a plugin. */
import { activity } from "@faultline/activity";
import { bulkUpdates } from "@faultline/bulk-updates";
import { comments } from "@faultline/comments";
import { deprecations } from "@faultline/deprecations";
import { externalBackend } from "@faultline/external-backend";
import { httpBridge } from "@faultline/http-bridge";
import { integratedBackend } from "@faultline/integrated-backend";
import type { Log, Plugin, Tracing } from "@faultline/plugin";
import type { RestOperation } from "@faultline/plugin/rest";
import { notifier } from "@faultline/notifier";
import { releaseRecords } from "@faultline/release-records";
import { savedSearches } from "@faultline/saved-searches";
import { pathOf, sentryApi, slugsOf } from "@faultline/sentry-api";
import { checkBuild, defaultBundleLimits, filesOf, isUploaded, sourceMaps, writeBundle } from "@faultline/source-maps";
import { trackers } from "@faultline/trackers";
import { defaultPlatformRelease, type Config } from "./config.ts";
import type { ConsolePages } from "./console-pages.ts";
import type { MetricRegistry } from "./host/metrics/registry.ts";
import type { TracingConfig } from "./host/tracing/tracing-config.ts";
import { does } from "./roles.ts";
import { operations } from "./services/operations.ts";
import { version } from "./version.ts";

export type BuiltIn = Awaited<ReturnType<typeof builtIn>>;

/**
 * The plugins in the order of their start, and the plugins that the core addresses by name. `added`: plugins in
 * addition to the product's.
 */
export async function builtIn(
  config: Config,
  {
    metrics,
    tracing,
    pages,
    added,
  }: { metrics: MetricRegistry; tracing: Tracing | undefined; pages: ConsolePages; added: readonly Plugin[] },
) {
  const jetstream = await openQueue(config.natsUrl);
  const queues = jetstream ? [jetstream] : [];
  const { plugins, platform } = product({
    baseUrl: () => config.baseUrl ?? bridge.url(),
    mail: config.mail,
    release: config.platformRelease,
    isHosted: config.offering === "hosted",
  });
  const others: readonly Plugin[] = [...plugins, ...queues, ...added];
  const bridge = httpBridge({
    ...config.http,
    baseUrl: config.baseUrl,
    isOpen: does(config.role, "bridge"),
    operations,
    others,
    metrics: { token: config.metricsToken, contentType: metrics.contentType, text: () => metrics.text() },
    tracing,
    pages: (...request) => pages.handle(...request),
  });
  return { all: [...others, bridge] as readonly Plugin[], bridge, rules: platform.deprecations, jetstream };
}

/** The functions for builds of the plugin that reads uploads, for the command line. */
export const builds = { checkBuild, filesOf, isUploaded, limits: defaultBundleLimits, writeBundle };

/** The facts that the plugins of the product need. */
interface ProductOptions {
  /** The address of the console, for links. */
  readonly baseUrl: () => string;
  readonly mail: Config["mail"];
  /** The platform release with the deprecations that apply, and whether the installation is hosted. */
  readonly release: Config["platformRelease"];
  readonly isHosted: boolean;
}

/** The plugins in the order of their start, without the bridge and the queue. A new plugin is a line here. */
function product({ baseUrl, mail, release, isHosted }: ProductOptions) {
  const platform = deprecations({ release, isHosted });
  const maps = sourceMaps({ projectPathOf: pathOf });
  const records = releaseRecords({ slugForms: { pathOf, slugsOf } });
  const plugins: readonly Plugin[] = [
    integratedBackend(),
    externalBackend(),
    platform,
    bulkUpdates(),
    activity(),
    comments(),
    savedSearches(),
    notifier({ baseUrl, mail }),
    trackers({ baseUrl }),
    maps,
    records,
    sentryApi([...maps.sentryRoutes, ...records.sentryRoutes]),
  ];
  return { plugins, platform };
}

/** The product's plugins for work without a service, on a database or on their operations. */
const withoutService = (): readonly Plugin[] =>
  product({ baseUrl: () => "", mail: undefined, release: defaultPlatformRelease, isHosted: true }).plugins;

/** The plugins that have tables. */
export const storingPlugins = (): readonly Plugin[] => withoutService().filter(({ migrations }) => migrations);

/** The REST operations of the core and of all plugins, for a client that runs them itself. */
export const restOperations = (): readonly RestOperation[] => [
  ...operations,
  ...withoutService().flatMap(({ rest = [] }) => rest),
];

/** Loads the plugin only if there are NATS servers, because its packages take memory. */
async function openQueue(url: string | undefined) {
  if (url === undefined) return undefined;
  const { jetstreamQueue } = await import("@faultline/jetstream-queue");
  return jetstreamQueue({ url });
}

/** Loads the plugin only if traces are wanted, because its packages take memory. */
export async function openTracing(config: TracingConfig | undefined, log: Log) {
  if (!config) return undefined;
  const { openTelemetry } = await import("@faultline/opentelemetry");
  return openTelemetry({ ...config, version, log });
}
