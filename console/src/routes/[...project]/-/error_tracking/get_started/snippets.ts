/**
 * The setup of an SDK for each language or framework, as pure functions of the DSN. Endpoints: specification 4.2. The
 * lines equal the programs `get-started` in test/sdk, which run with the real SDKs; a unit test compares them. The
 * lines of `untried.ts` were not run.
 */
import { newestVersions, testedVersions } from "#lib/tested-versions.ts";
import { frameworks } from "./frameworks.ts";
import { debugOn, type Snippets } from "./snippet-form.ts";

/**
 * Setups for SDKs that could not be installed during development. Their lines come from the SDKs' documentation. The
 * form of their requests is known: test/fixtures/sdk-forms.
 */
export const untried = [
  {
    key: "laravel",
    name: "Laravel",
    endpoint: "envelope",
    items: "exception, message",
    install: `composer require sentry/sentry-laravel`,
    debugNote: "To see what is sent, print the event in before_send.",
    start: (dsn) => `# .env
SENTRY_LARAVEL_DSN=${dsn}

// bootstrap/app.php
->withExceptions(function (Exceptions $exceptions) {
    \\Sentry\\Laravel\\Integration::handles($exceptions);
})`,
    identify: `// in a middleware
\\Sentry\\configureScope(function (\\Sentry\\State\\Scope $scope): void {
    $scope->setUser(['id' => '42']);
});`,
    test: `// routes/web.php
Route::get('/faultline-test', function () {
    throw new Exception('Test from Faultline');
});`,
  },
  {
    key: "dotnet",
    name: ".NET",
    endpoint: "envelope",
    items: "exception, message, session",
    install: `dotnet add package Sentry.AspNetCore`,
    debugNote: debugOn,
    start: (dsn) => `// Program.cs; without ASP.NET Core: SentrySdk.Init(options => ...)
builder.WebHost.UseSentry(options =>
{
    options.Dsn = "${dsn}";
    options.Debug = true;
});`,
    identify: `SentrySdk.ConfigureScope(scope => scope.User = new SentryUser { Id = "42" });`,
    test: `app.MapGet("/faultline-test", string () => throw new Exception("Test from Faultline"));`,
  },
  {
    key: "android",
    name: "Android",
    endpoint: "envelope",
    items: "exception, message, session",
    install: `implementation("io.sentry:sentry-android:8.+")`,
    debugNote: debugOn,
    start: (dsn) => `<!-- AndroidManifest.xml, in <application> -->
<meta-data android:name="io.sentry.dsn" android:value="${dsn}" />
<meta-data android:name="io.sentry.debug" android:value="true" />`,
    identify: `Sentry.setUser(User().apply { id = "42" })`,
    test: `button.setOnClickListener {
    throw RuntimeException("Test from Faultline")
}`,
  },
  {
    key: "ios",
    name: "iOS",
    endpoint: "envelope",
    items: "exception, message, session",
    install: `.package(url: "https://github.com/getsentry/sentry-cocoa", from: "9.0.0")`,
    debugNote: debugOn,
    start: (dsn) => `import Sentry

SentrySDK.start { options in
    options.dsn = "${dsn}"
    options.debug = true
}`,
    identify: `SentrySDK.setUser(User(userId: "42"))`,
    test: `SentrySDK.capture(error: NSError(
    domain: "Shop", code: 1, userInfo: [NSLocalizedDescriptionKey: "Test from Faultline"]))`,
  },
  {
    key: "flutter",
    name: "Flutter",
    endpoint: "envelope",
    items: "exception, message, session",
    install: `flutter pub add sentry_flutter`,
    debugNote: debugOn,
    start: (dsn) => `import 'package:sentry_flutter/sentry_flutter.dart';

Future<void> main() async {
  await SentryFlutter.init(
    (options) {
      options.dsn = '${dsn}';
      options.debug = true;
    },
    appRunner: () => runApp(const MyApp()),
  );
}`,
    identify: `Sentry.configureScope((scope) => scope.setUser(SentryUser(id: '42')));`,
    test: `TextButton(
  onPressed: () => throw Exception('Test from Faultline'),
  child: const Text('Test'),
)`,
  },
] as const satisfies readonly Snippets[];

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
    installsNewest: true,
    endpoint: "store",
    items: "exception, message",
    install: "composer require sentry/sentry",
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
    installsNewest: true,
    endpoint: "envelope",
    items: "exception, message",
    install: "gem install sentry-ruby",
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
  ...frameworks,
  ...untried,
] as const satisfies readonly Snippets[];

export type LanguageKey = (typeof languages)[number]["key"];
