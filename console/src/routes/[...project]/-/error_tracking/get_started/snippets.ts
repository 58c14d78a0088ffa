/**
 * Set-up of an SDK, per language or framework, as pure functions of the DSN. Endpoints: specification 4.2. The lines are
 * those of the programs `get-started` in test/sdk, which run with the real SDKs; a unit test keeps the two equal.
 */

import { testedVersions } from "#lib/tested-versions.ts";
import { newestVersions } from "./newest-versions.ts";

export interface Snippets {
  readonly key: string;
  readonly name: string;
  /** The SDK client version that is installed: the newest that was tested. */
  readonly version: string;
  /** The version of the specification, which was tested as well. Absent: it names none. */
  readonly specified?: string;
  readonly endpoint: "store" | "envelope";
  readonly items: string;
  readonly install: string;
  /** How to diagnose send problems, where the SDK has an option for it. */
  readonly debugNote: string;
  readonly start: (dsn: string) => string;
  readonly identify: string;
  readonly test: string;
}

const debugOn = "debug prints what the SDK sends. Take it out once errors arrive.";

export const languages = [
  {
    key: "go",
    name: "Go",
    version: newestVersions.go,
    specified: testedVersions.go,
    endpoint: "store",
    items: "exception, message",
    install: `go get github.com/getsentry/sentry-go@v${newestVersions.go}`,
    debugNote: debugOn,
    start: (dsn) => `err := sentry.Init(sentry.ClientOptions{
	Dsn:   "${dsn}",
	Debug: true,
})
if err != nil {
	log.Fatalf("sentry.Init: %s", err)
}
defer sentry.Flush(2 * time.Second)`,
    identify: `sentry.ConfigureScope(func(scope *sentry.Scope) {
	scope.SetUser(sentry.User{ID: "42"})
})`,
    test: `sentry.CaptureException(errors.New("Test from Faultline"))`,
  },
  {
    key: "java",
    name: "Java",
    version: newestVersions.java,
    specified: testedVersions.java,
    endpoint: "envelope",
    items: "exception, message",
    install: `implementation 'io.sentry:sentry:${newestVersions.java}'`,
    debugNote: debugOn,
    start: (dsn) => `Sentry.init(options -> {
  options.setDsn("${dsn}");
  options.setDebug(true);
});`,
    identify: `User user = new User();
user.setId("42");
Sentry.setUser(user);`,
    test: `Sentry.captureException(new Exception("Test from Faultline"));`,
  },
  {
    key: "node",
    name: "Node.js",
    version: newestVersions.node,
    specified: testedVersions.node,
    endpoint: "envelope",
    items: "exception, message",
    install: `npm install @sentry/node@${newestVersions.node}`,
    debugNote: debugOn,
    start: (dsn) => `const Sentry = require("@sentry/node");

Sentry.init({
  dsn: "${dsn}",
  debug: true,
});`,
    identify: `Sentry.setUser({ id: "42" });`,
    test: `Sentry.captureException(new Error("Test from Faultline"));`,
  },
  {
    key: "php",
    name: "PHP",
    version: testedVersions.php,
    specified: testedVersions.php,
    endpoint: "store",
    items: "exception, message",
    install: `composer require sentry/sdk sentry/sentry:${testedVersions.php}`,
    debugNote: "To see what is sent, print the event in before_send.",
    start: (dsn) => `\\Sentry\\init([
    'dsn' => '${dsn}',
]);`,
    identify: `\\Sentry\\configureScope(function (\\Sentry\\State\\Scope $scope): void {
    $scope->setUser(['id' => '42']);
});`,
    test: `\\Sentry\\captureException(new \\Exception('Test from Faultline'));`,
  },
  {
    key: "python",
    name: "Python",
    version: newestVersions.python,
    specified: testedVersions.python,
    endpoint: "envelope",
    items: "exception, message, session",
    install: `pip install "sentry-sdk==${newestVersions.python}"`,
    debugNote: debugOn,
    start: (dsn) => `import sentry_sdk

sentry_sdk.init(
    dsn="${dsn}",
    debug=True,
)`,
    identify: `sentry_sdk.set_user({"id": "42"})`,
    test: `sentry_sdk.capture_exception(Exception("Test from Faultline"))`,
  },
  {
    key: "ruby",
    name: "Ruby",
    version: testedVersions.ruby,
    specified: testedVersions.ruby,
    endpoint: "envelope",
    items: "exception, message",
    install: `gem install sentry-ruby -v ${testedVersions.ruby}`,
    debugNote: "To see what is sent, print the event in before_send.",
    start: (dsn) => `require "sentry-ruby"

Sentry.init do |config|
  config.dsn = "${dsn}"
end`,
    identify: `Sentry.set_user(id: "42")`,
    test: `Sentry.capture_exception(RuntimeError.new("Test from Faultline"))`,
  },
  {
    key: "rust",
    name: "Rust",
    version: newestVersions.rust,
    specified: testedVersions.rust,
    endpoint: "envelope",
    items: "exception, message, session",
    install: `cargo add sentry@${newestVersions.rust}`,
    debugNote: debugOn,
    start: (dsn) => `let mut options = sentry::ClientOptions::default();
options.debug = true;
let _guard = sentry::init(("${dsn}", options));`,
    identify: `sentry::configure_scope(|scope| {
    scope.set_user(Some(sentry::User {
        id: Some("42".to_owned()),
        ..Default::default()
    }));
});`,
    test: `sentry::capture_error(&std::io::Error::new(std::io::ErrorKind::Other, "Test from Faultline"));`,
  },
  {
    key: "browser",
    name: "Browser",
    version: newestVersions.browser,
    endpoint: "envelope",
    items: "exception, message, session",
    install: `npm install @sentry/browser@${newestVersions.browser}`,
    debugNote: debugOn,
    start: (dsn) => `import * as Sentry from "@sentry/browser";

Sentry.init({
  dsn: "${dsn}",
  debug: true,
});`,
    identify: `Sentry.setUser({ id: "42" });`,
    test: `setTimeout(() => {
  throw new Error("Test from Faultline");
});`,
  },
  {
    key: "react",
    name: "React",
    version: newestVersions.react,
    endpoint: "envelope",
    items: "exception, message, session",
    install: `npm install @sentry/react@${newestVersions.react}`,
    debugNote: debugOn,
    start: (dsn) => `import * as Sentry from "@sentry/react";
import { createRoot } from "react-dom/client";

Sentry.init({
  dsn: "${dsn}",
  debug: true,
});

const root = createRoot(document.getElementById("root"), {
  onUncaughtError: Sentry.reactErrorHandler(),
  onCaughtError: Sentry.reactErrorHandler(),
  onRecoverableError: Sentry.reactErrorHandler(),
});`,
    identify: `Sentry.setUser({ id: "42" });`,
    test: `function Broken() {
  throw new Error("Test from Faultline");
}`,
  },
  {
    key: "vue",
    name: "Vue",
    version: newestVersions.vue,
    endpoint: "envelope",
    items: "exception, message, session",
    install: `npm install @sentry/vue@${newestVersions.vue}`,
    debugNote: debugOn,
    start: (dsn) => `import * as Sentry from "@sentry/vue";
import { createApp } from "vue";

const app = createApp(App);

Sentry.init({
  app,
  dsn: "${dsn}",
  debug: true,
});`,
    identify: `Sentry.setUser({ id: "42" });`,
    test: `const Broken = {
  mounted() {
    throw new Error("Test from Faultline");
  },
};`,
  },
  {
    key: "django",
    name: "Django",
    version: newestVersions.django,
    endpoint: "envelope",
    items: "exception, message, session",
    install: `pip install "sentry-sdk==${newestVersions.django}"`,
    debugNote: debugOn,
    start: (dsn) => `# settings.py
import sentry_sdk

sentry_sdk.init(
    dsn="${dsn}",
    debug=True,
)`,
    identify: `# in a view or a middleware; with send_default_pii=True the SDK does it for signed-in users
sentry_sdk.set_user({"id": "42"})`,
    test: `# urls.py: path("faultline-test/", trigger)
def trigger(request):
    raise Exception("Test from Faultline")`,
  },
  {
    key: "flask",
    name: "Flask",
    version: newestVersions.flask,
    endpoint: "envelope",
    items: "exception, message, session",
    install: `pip install "sentry-sdk==${newestVersions.flask}" flask`,
    debugNote: debugOn,
    start: (dsn) => `import sentry_sdk
from flask import Flask

sentry_sdk.init(
    dsn="${dsn}",
    debug=True,
)
app = Flask(__name__)`,
    identify: `# in a view, or before each request
sentry_sdk.set_user({"id": "42"})`,
    test: `@app.route("/faultline-test")
def trigger():
    raise Exception("Test from Faultline")`,
  },
] as const satisfies readonly Snippets[];

export type LanguageKey = (typeof languages)[number]["key"];

/** The versions with which the lines were tried, with the endpoint of the specification. */
export function triedWith({ version, specified = version, endpoint }: Snippets): string {
  return specified === version
    ? `Tested with ${version} · ${endpoint} endpoint`
    : `Tested with ${version}, and with ${specified} at the ${endpoint} endpoint`;
}

/** One event without an SDK, sent to the store endpoint. Empty when `dsn` is not a DSN. */
export function curlSnippet(dsn: string): string {
  const address = storeAddress(dsn);
  if (address === "") return "";
  return `curl -X POST '${address}' -H 'Content-Type: application/json' -d '{"message":"Test from Faultline","level":"error"}'`;
}

/** The store endpoint of a DSN, with its key. Empty when `dsn` is not a DSN. */
export function storeAddress(dsn: string): string {
  const parts = /^(https?):\/\/(\w+)(?::\w+)?@([^/]+)\/(?:(.+)\/)?(\d+)$/.exec(dsn);
  if (parts === null) return "";
  const [, scheme, key, host, prefix, projectId] = parts;
  const base = `${scheme}://${host}${prefix === undefined ? "" : `/${prefix}`}`;
  return `${base}/api/${projectId}/store/?sentry_version=7&sentry_key=${key}`;
}
