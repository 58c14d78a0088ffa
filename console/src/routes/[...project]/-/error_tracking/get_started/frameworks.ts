import { newestVersions } from "#lib/tested-versions.ts";
import { debugOn, type Snippets } from "./snippet-form.ts";

/** Set-ups in addition to the specification. */
export const frameworks = [
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
    key: "react-native",
    name: "React Native",
    version: newestVersions["react-native"],
    testedIn: "in a browser by react-native-web, not on a phone",
    endpoint: "envelope",
    items: "exception, message, session",
    install: `npm install @sentry/react-native@${newestVersions["react-native"]}`,
    debugNote: debugOn,
    start: (dsn) => `import * as Sentry from "@sentry/react-native";

Sentry.init({
  dsn: "${dsn}",
  debug: true,
});

export default Sentry.wrap(App);`,
    identify: `Sentry.setUser({ id: "42" });`,
    test: `<Button
  title="Test"
  onPress={() => {
    throw new Error("Test from Faultline");
  }}
/>`,
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
    key: "next",
    name: "Next.js",
    version: newestVersions.next,
    endpoint: "envelope",
    items: "exception, message, session",
    install: `npm install @sentry/nextjs@${newestVersions.next}`,
    debugNote: debugOn,
    start: (dsn) => `// instrumentation.js
import * as Sentry from "@sentry/nextjs";

export function register() {
  Sentry.init({
    dsn: "${dsn}",
    debug: true,
  });
}

export const onRequestError = Sentry.captureRequestError;`,
    identify: `Sentry.setUser({ id: "42" });`,
    test: `// app/faultline-test/route.js
export function GET() {
  throw new Error("Test from Faultline");
}`,
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
    identify: `# in a view or a middleware; with data_collection={"user_info": True} the SDK does it for signed-in users
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
  {
    key: "rails",
    name: "Rails",
    version: newestVersions.rails,
    installsNewest: true,
    endpoint: "envelope",
    items: "exception, message",
    install: "bundle add sentry-rails",
    debugNote: "To see what is sent, print the event in before_send.",
    start: (dsn) => `# config/initializers/sentry.rb
Sentry.init do |config|
  config.dsn = "${dsn}"
end`,
    identify: `# in a before_action
Sentry.set_user(id: "42")`,
    test: `# config/routes.rb: get "faultline-test", to: "faultline_test#show"
class FaultlineTestController < ApplicationController
  def show
    raise "Test from Faultline"
  end
end`,
  },
  {
    key: "spring",
    name: "Spring Boot",
    version: newestVersions.spring,
    endpoint: "envelope",
    items: "exception, message",
    install: `// Spring Boot 4: 'io.sentry:sentry-spring-boot-4-starter:${newestVersions["spring-boot-4"]}'
implementation 'io.sentry:sentry-spring-boot-starter-jakarta:${newestVersions.spring}'`,
    debugNote: debugOn,
    start: (dsn) => `# application.properties
sentry.dsn=${dsn}
sentry.debug=true`,
    identify: `// in a filter or a HandlerInterceptor
User user = new User();
user.setId("42");
Sentry.setUser(user);`,
    test: `@RestController
class FaultlineTest {
  @GetMapping("/faultline-test")
  void trigger() {
    throw new IllegalStateException("Test from Faultline");
  }
}`,
  },
] as const satisfies readonly Snippets[];
