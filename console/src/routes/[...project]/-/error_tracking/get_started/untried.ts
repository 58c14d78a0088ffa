import { debugOn, type Snippets } from "./snippet-form.ts";

/**
 * Set-ups whose SDKs did not install where this was written: their lines are those of the SDKs' documentation. What they
 * send is known by its form: test/fixtures/sdk-forms.
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
