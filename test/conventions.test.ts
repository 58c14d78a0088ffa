import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { circles, deepestChain, longestFunctions, smallHelpers, twins } from "../scripts/structure.ts";
import { flakyDays, overdue, readLedger, today } from "./support/run/ledger.ts";
import { projectFiles as files, root } from "./support/run/project-files.ts";

const textOf = (file: string) => readFileSync(join(root, file), "utf8");
const isCode = (file: string) => /\.(ts|js|mjs|cjs|svelte)$/.test(file) && !file.startsWith("proto/gen/");
const code = files.filter(isCode);

interface Import {
  readonly file: string;
  /** The package folder it lies in, such as `plugins/http-bridge`. */
  readonly from: string;
  /** The package folder it names; undefined for packages that are not ours. */
  readonly to: string | undefined;
  readonly specifier: string;
}

const folderOfPackage = new Map(
  files
    .filter((file) => /^[^/]+(\/[^/]+)?\/package\.json$/.test(file))
    .map((file) => [(JSON.parse(textOf(file)) as { name: string }).name, dirname(file)] as const),
);
const folderOf = (path: string) =>
  [...folderOfPackage.values()].find((folder) => path === folder || path.startsWith(`${folder}/`));

const imports: Import[] = code.flatMap((file) => {
  const from = folderOf(file);
  if (from === undefined) return []; // at the root: scripts and configuration
  const specifiers = textOf(file).matchAll(/(?:\bfrom|\bimport|\brequire\(|\bimport\()\s*["']([^"'\n]+)["']/g);
  return [...specifiers].map(([, specifier = ""]) => ({ file, from, to: targetOf(file, specifier), specifier }));
});

function targetOf(file: string, specifier: string): string | undefined {
  if (specifier.startsWith(".")) return folderOf(join(dirname(file), specifier).replaceAll("\\", "/"));
  return folderOfPackage.get(/^(@[^/]+\/[^/]+|[^/]+)/.exec(specifier)?.[0] ?? "");
}

const isPlugin = (folder: string | undefined) => /^plugins\/(?!(?:plugin|sentry-event)$)/.test(folder ?? "");
const isCompositionRoot = (file: string) => file === "backend/src/built-in.ts";
/** The console part of a plugin, which is compiled with the console. */
const isConsolePart = (file: string) => /^plugins\/[^/]+\/src\/console\//.test(file);

/** The packages that code in a package may import besides its own. */
function allowed({ file, from, specifier }: Import): (to: string) => boolean {
  if (from === "proto") return () => false;
  if (from === "plugins/sentry-event") return (to) => to === "proto";
  if (from === "plugins/plugin") return (to) => to === "proto" || to === "plugins/sentry-event";
  if (isCompositionRoot(file)) return (to) => to === "proto" || to.startsWith("plugins/");
  if (isConsolePart(file)) return (to) => ["proto", "console"].includes(to);
  if (isPlugin(from) || from === "backend") {
    return (to) => ["proto", "plugins/plugin", "plugins/sentry-event"].includes(to);
  }
  // The search language imports nothing.
  if (from === "console") return (to) => to === "proto" || specifier === "@faultline/plugin/search";
  return (to) => to !== "test"; // tests
}

test("imports are found at all", () => {
  assert.ok(imports.some(({ file, to }) => isCompositionRoot(file) && isPlugin(to)));
  assert.ok(imports.filter(({ to }) => to === "proto").length > 20);
});

test("imports go in one direction: proto, sentry-event, plugin, plugins, built-in.ts; the console knows proto and the search language; nothing imports test", () => {
  const wrong = imports.filter((one) => one.to !== undefined && one.to !== one.from && !allowed(one)(one.to));
  assert.equal(
    wrong.map(({ file, to }) => `${file} imports ${to}`),
    [],
  );
});

/** The layers of the core, from the lowest. What none of them matches starts the service, or calls it: it is above them. */
const layers = [
  /^(?:installation|version)\.ts$/, // the files of the installation itself
  /^host\//,
  /^(?:config|mail-config|node-version|roles|variables)\.ts$/,
  /^storage\//,
  /^services\//,
  /^(?:built-in|console-pages)\.ts$/,
  /^phases\//,
];

test("imports of the core go in one direction: host, storage, services, phases", () => {
  const layerOf = (file: string) => {
    const layer = layers.findIndex((one) => one.test(file.replace("backend/src/", "")));
    return layer === -1 ? layers.length : layer;
  };
  const within = imports
    .filter(({ from, specifier }) => from === "backend" && specifier.startsWith("."))
    .map(({ file, specifier }) => ({ file, to: join(dirname(file), specifier).replaceAll("\\", "/") }));
  assert.ok(within.some(({ file, to }) => file.includes("/phases/") && to.includes("/host/")));
  const wrong = within.filter(({ file, to }) => layerOf(to) > layerOf(file));
  assert.equal(
    wrong.map(({ file, to }) => `${file} imports ${to}`),
    [],
  );
});

test("the console part of a plugin imports the exports of the console and its own folder; the rest of the plugin does not import it", () => {
  const parts = imports.filter(({ file }) => isConsolePart(file));
  assert.ok(parts.some(({ to }) => to === "console"));
  const folder = (file: string) => file.replace(/(?<=\/src\/console\/).*/, "");
  const leaves = ({ file, specifier }: Import) =>
    specifier.startsWith(".") && !join(dirname(file), specifier).replaceAll("\\", "/").startsWith(folder(file));
  const entering = imports.filter(
    ({ file, specifier }) =>
      file.startsWith("plugins/") &&
      !isConsolePart(file) &&
      isConsolePart(join(dirname(file), specifier).replaceAll("\\", "/")),
  );
  assert.equal(
    [...parts.filter(leaves), ...entering].map(({ file, specifier }) => `${file} imports ${specifier}`),
    [],
  );
});

test("the console's pages import types of the schema only; its server side alone may run it", () => {
  const wrong = code
    .filter((file) => file.startsWith("console/src/") || isConsolePart(file))
    .filter((file) => !/\/server\/|\.server\.ts$|\+server\.ts$/.test(file))
    .filter((file) => /^\s*import (?!type\b)[^;]*["']@faultline\/proto(\/\w+)?["']/m.test(textOf(file)));
  assert.equal(wrong, []);
});

test("the console calls the core by tRPC alone", () => {
  const calling = imports.filter(
    ({ file, specifier }) => file.startsWith("console/") && specifier.endsWith("/core.ts"),
  );
  assert.ok(calling.length > 0);
  assert.equal(
    calling.map(({ file }) => file).filter((file) => !file.startsWith("console/src/lib/server/trpc/")),
    ["console/src/lib/server/plugins/answers.ts"], // services that only a plugin has are no procedures
  );
});

test("the environment is read in backend/src/config.ts only", () => {
  const product = code.filter((file) => /^(backend|plugins|proto|console)\//.test(file));
  const readers = product.filter((file) => /\bprocess\.env\b(?!\["\w+"\] = )|\bimport\.meta\.env\b/.test(textOf(file)));
  // serve.ts hands it to config.ts, and vite.config.ts reads it when the console is built.
  const allowedReaders = ["backend/src/config.ts", "backend/src/serve.ts", "console/vite.config.ts"];
  assert.equal(
    readers.filter((file) => !allowedReaders.includes(file)),
    [],
  );
});

test("OpenTelemetry is known to its plugin alone, which is loaded where traces are wanted", () => {
  const product = code.filter((file) => /^(backend|plugins|proto|console)\//.test(file));
  const using = product.filter((file) => /["']@opentelemetry\//.test(textOf(file)));
  assert.ok(using.length > 0);
  assert.equal(
    using.filter((file) => !file.startsWith("plugins/opentelemetry/")),
    [],
  );
  const loading = product.filter((file) => textOf(file).includes('"@faultline/opentelemetry"'));
  assert.equal(
    loading.filter((file) => !/\bawait import\("@faultline\/opentelemetry"\)/.test(textOf(file))),
    [],
  );
});

test("nothing goes out of the process but by the outbound client", () => {
  /** Names that backend and plugins may import from Node's network modules elsewhere, because they listen or judge. */
  const harmless = new Set([
    "createServer",
    "Server as Listener",
    "BlockList",
    "isIP",
    "isIPv6",
    "SocketAddress",
    "createSecureContext",
    "checkServerIdentity",
    "getCACertificates",
  ]);
  const networkImport =
    /\bimport\s+([^;"']*?)\s*from\s*["'](?:node:)?(?:https?2?|net|tls|dns(?:\/promises)?|dgram)["']/g;
  const takesMore = (names: string) =>
    !names.startsWith("type ") &&
    names
      .split(/[{},]/)
      .map((name) => name.trim())
      .some((name) => name !== "" && !name.startsWith("type ") && !harmless.has(name));
  const goesOut = (text: string) =>
    /(?<![.\w])fetch\(|\bnew (?:WebSocket|EventSource)\b|["']undici["']|\bimport\(["']node:|\brequire\(/.test(text) ||
    [...text.matchAll(networkImport)].some(([, names = ""]) => takesMore(names));
  const serverSide = code.filter(
    (file) => /^(backend|plugins)\//.test(file) || /^console\/.*(?:\/server\/|\.server\.ts$|\+server\.ts$)/.test(file),
  );
  const goers = serverSide.filter((file) => goesOut(textOf(file)));
  assert.equal(
    goers.filter((file) => !file.startsWith("backend/src/host/outbound/")),
    [],
  );
  assert.ok(
    ["connect", "exchange", "outbound-client"].every((name) => goers.includes(`backend/src/host/outbound/${name}.ts`)),
  );
});

test("JSON from outside is parsed by parseForeignJson, or where its bound is named", () => {
  /** Files that read JSON that the service wrote itself. */
  const own = new Set([
    "backend/src/cli/transfer.ts",
    "backend/src/host/changes/change-stream.ts",
    "backend/src/host/changes/noted-transitions.ts",
    "backend/src/host/ingest/key-limits.ts",
    "backend/src/host/ingest/rate-limits.ts",
    "backend/src/host/own-errors/own-event.ts",
    "backend/src/services/identity/sign-in-throttle.ts",
    "backend/src/services/filters/spike-protection.ts",
    "backend/src/services/outcomes/outcomes.ts",
    "backend/src/storage/backup/manifest.ts",
    "backend/src/storage/secrets/key-ring.ts",
    "backend/src/version.ts",
    "plugins/bulk-updates/src/bulk-update-rows.ts",
    "plugins/bulk-updates/src/bulk-updates.ts",
    "plugins/bulk-updates/src/slices.ts",
    "plugins/integrated-backend/src/event/examined-event.ts",
    "plugins/integrated-backend/src/counts/large-facts.ts",
    "plugins/integrated-backend/src/lists/stats.ts",
    "plugins/integrated-backend/src/lists/to-proto.ts",
    "plugins/integrated-backend/src/postgresql/delete-project.ts",
    "plugins/integrated-backend/src/postgresql/storage.ts",
    "plugins/integrated-backend/src/search/planning/driver.ts",
    "plugins/integrated-backend/src/search/planning/draw.ts",
    "plugins/integrated-backend/src/sessions/releases.ts",
    "plugins/integrated-backend/src/event/stored-names.ts",
    "plugins/jetstream-queue/src/dead-letters.ts",
    "plugins/notifier/src/channels/channel.ts",
    "plugins/notifier/src/deliveries/delivery-service.ts",
    "plugins/notifier/src/deliveries/sender.ts",
    "plugins/notifier/src/inbox/new-entries.ts",
    "plugins/notifier/src/inbox/inbox-changes.ts",
    "plugins/notifier/src/rule.ts",
    "plugins/notifier/src/signal-detail.ts",
    "plugins/notifier/src/signals/polling/look.ts",
    "plugins/trackers/src/tracker.ts",
    "plugins/release-records/src/records/commits.ts",
    "plugins/source-maps/src/index.ts",
    "plugins/source-maps/src/proguard/look-up-mapping.ts",
    "plugins/source-maps/src/proguard/store-mappings.ts",
    "plugins/source-maps/src/uploads/bundle-changes.ts",
    "plugins/source-maps/src/uploads/read-uploads.ts",
    "plugins/source-maps/src/uploads/stored-source.ts",
  ]);
  /** Files that read JSON from outside, with its bound. */
  const bounded = new Map([
    ["backend/src/cli/derived/verbs.ts", "an argument of a command"],
    ["backend/src/cli/operations.ts", "an answer of our own service, in the process of a command"],
    ["plugins/http-bridge/src/ingest/body/envelope-header.ts", "a line of 16 KiB"],
    ["plugins/http-bridge/src/ingest/body/event-json.ts", "counts the values first"],
    ["plugins/notifier/src/channels/webhook/template.ts", "a setting of some kilobytes"],
    ["plugins/plugin/src/page-token.ts", "a part of an address"],
    ["plugins/sentry-api/src/resources/events.ts", "an event, which was counted"],
    ["plugins/sentry-event/src/hide-secrets.ts", "a text of an event, which was counted"],
    ["plugins/sentry-event/src/json.ts", "an event, which was counted"],
    ["plugins/source-maps/src/bundle/read-bundle.ts", "counts the marks first"],
    ["plugins/source-maps/src/mapping/reading/json-bytes.ts", "a value at a time, in a thread of its own"],
    ["plugins/source-maps/src/proguard/read-mapping.ts", "a line of a mapping"],
  ]);
  const parsing = code.filter(
    (file) => /^(backend|plugins)\/.*\/?src\//.test(file) && /\bJSON\.parse\(/.test(textOf(file)),
  );
  assert.equal(
    parsing.filter((file) => file !== "plugins/plugin/src/foreign-json.ts" && !own.has(file) && !bounded.has(file)),
    [],
  );
  assert.equal(
    [...own, ...bounded.keys()].filter((file) => !parsing.includes(file)),
    [],
  );
});

test("a test reads the file of a service in its own process by a copy only", () => {
  // See test/support/database/other-process.ts: two libraries of SQLite in one process break each other's locks.
  const ownProcess = /\b(?:startFaultline|movableFaultline)\(/;
  const isTest = (file: string) => file.startsWith("test/") && ownProcess.test(textOf(file));
  assert.ok(code.filter(isTest).length > 20);
  assert.equal(
    code.filter((file) => isTest(file) && /\bnew DatabaseSync\(/.test(textOf(file))),
    [],
  );
});

test("no page shows text as HTML", () => {
  assert.equal(
    files.filter((file) => file.endsWith(".svelte") && /\{@html\b/.test(textOf(file))),
    [],
  );
});

test("each panel of the console is behind a boundary, so that none which fails takes its page along", () => {
  const bare = /class=(?:"|\{\["|\{")panel\b(?!-)[^>]*>(?!\s*<svelte:boundary \{failed\}>)/;
  const panels = files.filter((file) => file.endsWith(".svelte") && /\bpanel\b(?!-)/i.test(textOf(file)));
  assert.ok(panels.length > 70);
  assert.equal(
    panels.filter((file) => bare.test(textOf(file)) || /class:panel\b/.test(textOf(file))),
    [],
  );
});

test("no check of compiler or linter is switched off without a reason", () => {
  const suppression =
    /(?:@ts-(?:ignore|nocheck|expect-error)|(?:oxlint|eslint)-disable|prettier-ignore|svelte-ignore)(?!.* -- \w)/;
  const self = "test/conventions.test.ts";
  assert.equal(
    code.filter((file) => file !== self && suppression.test(textOf(file))),
    [],
  );
});

test("the lock file names no registry", () => {
  assert.not.match(textOf("package-lock.json"), /"resolved": "http/);
});

test("every version of a dependency is exact", () => {
  const loose = files
    .filter((file) => /(^|\/)package\.json$/.test(file) && !file.startsWith("test/fixtures/"))
    .flatMap((file) => {
      const manifest = JSON.parse(textOf(file)) as Record<string, Record<string, string> | undefined>;
      return ["dependencies", "devDependencies", "optionalDependencies"].flatMap((kind) =>
        Object.entries(manifest[kind] ?? {})
          .filter(([, version]) => !/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version))
          .map(([name, version]) => `${file}: ${name} ${version}`),
      );
    });
  assert.equal(loose, []);
});

test("no file names the machine it was written on", () => {
  const machine = /\/(?:work|home\/\w+|Users\/\w+)\/[\w.]/;
  const texts = files.filter((file) => !/\.(body|binpb|png|ico|woff2)$/.test(file));
  assert.equal(
    texts.filter((file) => machine.test(textOf(file))),
    [],
  );
});
/** Migrations with such a word, which are not edited after their release. */
const released = [
  "plugins/integrated-backend/src/postgresql/migrations/integrated-0003.ts",
  "plugins/integrated-backend/src/postgresql/migrations/store-sessions-0005.ts",
];

test("comments, messages and docs are plain English: again, any caller, reports", () => {
  const translated =
    /\b(?:anew|who(?:m|so)?ever|tells? (?:what|who|how|when|which|whether)|(?:is|are|was|were) told)\b/i;
  const prose = files.filter(
    (file) =>
      (isCode(file) || /\.(proto|md|yaml|service|tpl|conf)$|file$/.test(file)) &&
      !/^(?:test\/|CHANGELOG\.md$)/.test(file) &&
      !released.some((place) => file.startsWith(place)),
  );
  const found = prose.flatMap((file) => {
    const word = translated.exec(textOf(file));
    return word ? [`${file}: ${word[0]}`] : [];
  });
  assert.equal(found, []);
});

/** The text of a file that people see: strings and markup, without comments, styles and comments in SQL. */
function spokenText(file: string): string {
  const notSpoken =
    /("(?:\\.|[^"\\\n])*"|`(?:\\.|[^`\\])*`)|\/\*[^]*?\*\/|<!--[^]*?-->|<style[^]*?<\/style>|(?<![:\w])\/\/.*$/gm;
  const strings = (text: string) =>
    [...text.matchAll(notSpoken)]
      .flatMap(([, string]) => string ?? [])
      .join("\n")
      .replaceAll(/^\s*-- .*$/gm, "");
  const text = textOf(file);
  if (!file.endsWith(".svelte")) return strings(text);
  const markup = text.replaceAll(/<script[^]*?<\/script>/g, (script) => strings(script));
  return markup.replaceAll(notSpoken, (_, string: string | undefined) => string ?? "");
}

/** Phrases that a translation leaves in a sentence, each with what it is written instead. */
const translatedPhrases: Readonly<Record<string, RegExp>> = {
  because: /, as (?:an?|the|its?|they|this|that|these|there|we|you|no|every|each|all|some|one)\b/i,
  "is not a": /(?<!\bthere )\bis no (?!longer\b)/i,
  permanently: /\bfor good\b/i,
  "its, separate": /\bof (?:its|their) own\b/i,
  "next to, in addition to": / beside (?:an?|the|its?|them|this|that|each|all|every)\b/i,
  "immediately, at the same time": /[a-z] at once\b/i,
  continues: /\bgoes on\b/i,
  complete: /\bnot whole\b/i,
  "e-mails": /(?<![-\w])mails (?!\.)/i,
  "at most": /\bthere may be\b/i,
  "the noun": /\b(?:that|those) of (?:the|an?|its|event)\b/i,
  "a noun as subject":
    /(?<=["'`>]\s*)What\b(?! you see was loaded)[^"'`<>.?!]*\b(?:is|are|was|were|has|have|could|can)\b/,
};

test("texts of the console, refusals and messages have no phrase of a translation", () => {
  /** Task names, which are labels of a metric. */
  const labels = /"remove deleted projects for good"/;
  // The command line and REST's descriptions, and the sentences of reasons, have their own tables.
  const elsewhere =
    /^backend\/src\/cli\/|-operations\.ts$|\/rest(?:\/|\.ts$)|\/migrations\/|\/notices\.ts$|\/handle-error\.ts$/;
  const spoken = code.filter(
    (file) => /^(?:console|backend|plugins\/[^/]+)\/src\//.test(file) && !elsewhere.test(file),
  );
  assert.ok(spoken.length > 1_000);
  const found = spoken.flatMap((file) => {
    const text = spokenText(file).replace(labels, "");
    return Object.entries(translatedPhrases).flatMap(([better, phrase]) => {
      const match = phrase.exec(text);
      return match ? [`${file}: "${match[0]}", better: ${better}`] : [];
    });
  });
  assert.equal(found, []);
});

/** Functions of more than 80 lines, with the reason. */
const longFunctions: Readonly<Record<string, string>> = {};

test("a function of more than 80 lines has a reason", () => {
  const long = longestFunctions().filter(({ size }) => size > 80);
  assert.equal(
    long.filter(({ name }) => !(name in longFunctions)),
    [],
  );
});

/** Files of fewer than 40 lines that one file of their folder imports, with the reason. */
const smallFiles: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    [
      "lib/components/pastable.ts",
      "lib/releases/deploy-marks.ts",
      "routes/[...project]/-/error_tracking/[id]/(error)/details/event/event-position.ts",
      "routes/[...project]/-/error_tracking/[id]/(error)/details/event/trim-notes.ts",
      "routes/[...project]/-/error_tracking/changes-between.ts",
      "routes/[...project]/-/error_tracking/releases/crash-free.ts",
    ].map((file) => [`console/src/${file}`, "has a test, and tests cannot import components"]),
  ),
  ...Object.fromEntries(
    ["account/sessions/browser-name.ts", "personal_access_tokens/example.ts"].map((file) => [
      `console/src/routes/-/profile/${file}`,
      "has a test, and SvelteKit allows no other exports in +page.server.ts",
    ]),
  ),
  "plugins/saved-searches/src/console/offered.ts": "has a test, and tests cannot import the browser's client",
  "plugins/saved-searches/src/console/palette.ts": "loaded when the palette opens",
  "plugins/plugin/src/code-repository.ts": "a part of the contract, which only the entry point of the package imports",
  "plugins/activity/src/rest.ts": "the operations of a plugin are in its rest.ts",
  "plugins/deprecations/src/rest.ts": "the operations of a plugin are in its rest.ts",
  "plugins/plugin/src/rows.ts": "its importer is the entry point of the package; plugins with tables use it",
};

test("a file of fewer than 40 lines with one importer, in its own folder, has a reason", () => {
  assert.equal(
    smallHelpers()
      .map(({ name }) => name)
      .toSorted(),
    Object.keys(smallFiles).toSorted(),
  );
});

test("no file is next to a folder of the same name", () => {
  assert.equal(twins(), []);
});

test("no chain of files that need each other at run time is longer than 14", () => {
  const chain = deepestChain({ types: false });
  assert.ok(chain.length <= 14, chain.join("\n"));
});

test("no files import each other in a circle, not for types either", () => {
  assert.equal(circles(), []);
});

/** Files of the rings that block, and what they share, that read how long something takes, and why none fails for it. */
const timing: Readonly<Record<string, string>> = {
  "test/support/run/until.ts": "the deadline of what is awaited, longer on a slow machine",
  "test/support/run/slowness.ts": "measures how slow the machine is",
  "test/support/run/lane.ts": "prints the seconds of each file",
  "test/support/measure/measured.ts": "measures, for the ring that does",
  "test/support/service/resident-bytes.ts": "measures, for the ring that does, the siege and the bombardment",
  "test/support/service/load.ts": "sends so often",
  "test/support/database/ledger/worker.ts": "sends for so long",
  "test/support/http/raw-socket.ts": "the deadline of an answer, longer on a slow machine",
  "test/flow/postgresql/several-processes/rate-limits.test.ts": "a limit lets more through, the longer it takes",
  "test/long/crash-points.test.ts": "prints it",
  "test/long/migrations-traffic.test.ts": "prints it",
  "test/long/postgresql/deliveries.test.ts": "prints it",
};

test("no test that blocks fails for the clock or for memory: it awaits within deadlines, and sets bounds for test:measure", () => {
  const readsTime =
    /\bperformance\.(?:now|timeOrigin|mark|measure)\b|\bhrtime\b|\bmemoryUsage\b|\bresourceUsage\b|\bresidentBytes\(|\bVm(?:RSS|HWM)\b|\bprocess\.uptime\(|\bDate\.now\(\) - \w*(?:[aA]t|[bB]efore|[bB]egun|[bB]egin|[sS]tart|[sS]tarted)\b/;
  const blocking = code.filter((file) => /^test\/(?:unit|flow|browser|long|contract|permissions|support)\//.test(file));
  const readers = blocking.filter((file) => readsTime.test(textOf(file)));
  assert.equal(readers.toSorted(), Object.keys(timing).toSorted());
  // A wait of a second is a bound on time: `promised` gives it a factor.
  const shortDeadline = /\{\s*deadlineMs: (?:\d{1,3}|[1-4]_?\d{3})\b/;
  assert.equal(
    blocking.filter((file) => shortDeadline.test(textOf(file))),
    [],
  );
});

test("a test that opens pages of a service in its own process shares that process with no other file", () => {
  const opensPages = code.filter((file) => {
    const text = textOf(file);
    return (
      file.endsWith(".test.ts") && /\bopenBrowser\(/.test(text) && /\b(?:startFaultline|movableFaultline)\(/.test(text)
    );
  });
  assert.ok(opensPages.length > 0);
  assert.equal(
    opensPages.filter((file) => !/^(?:.*\n)?\/\/ (?:process|quiet|alone): /.test(textOf(file))),
    [],
    "the pages of the console know one core in a process",
  );
});

test(`no test file is flaky for more than ${flakyDays} days, and none in the ledger is gone`, () => {
  const ledger = readLedger();
  assert.equal(overdue(ledger, today()), [], "mend these, and take them out of test/ledger.json");
  const names = ledger.flaky.map(({ file }) => file.replace(/ on PostgreSQL$/, ""));
  assert.equal(
    names.filter((file) => !files.includes(file)),
    [],
  );
});

test.run();
