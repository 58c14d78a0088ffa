/** An SDK as its events describe it. */
export interface DemoSdk {
  readonly name: string;
  readonly version: string;
  readonly platform: string;
  readonly serverName: string;
  readonly contexts: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** The frame of a library in the application's stack. */
  readonly library: Readonly<Record<string, unknown>>;
  /** Returns a place of the application in the form of the SDK's frames. */
  readonly place: (file: string, className: string) => Readonly<Record<string, string>>;
}

const linux = { name: "Linux", version: "6.1.0" };
const path = (file: string) => ({ filename: file, abs_path: `/srv/app/${file}` });

/** Nine SDKs, at versions that Faultline was tested with. */
export const demoSdks = {
  browser: {
    name: "sentry.javascript.browser",
    version: "11.12.0",
    platform: "javascript",
    serverName: "",
    contexts: { browser: { name: "Safari", version: "26.1" }, os: { name: "iOS", version: "26.1" } },
    library: { filename: "https://shop.example/node_modules/lit/lit-element.js", function: "update", in_app: true },
    place: (file) => ({ filename: `https://shop.example/${file}` }),
  },
  react: {
    name: "sentry.javascript.react",
    version: "11.12.0",
    platform: "javascript",
    serverName: "",
    contexts: { browser: { name: "Chrome", version: "148.0" }, os: { name: "Windows", version: "11" } },
    library: {
      filename: "https://admin.example/node_modules/react-dom/cjs/react-dom-client.js",
      function: "renderWithHooks",
      in_app: true,
    },
    place: (file) => ({ filename: `https://admin.example/${file}` }),
  },
  node: {
    name: "sentry.javascript.node",
    version: "11.12.0",
    platform: "node",
    serverName: "checkout-1",
    contexts: { runtime: { name: "node", version: "v24.11.0" }, os: linux },
    library: { ...path("node_modules/fastify/lib/handle-request.js"), function: "preHandlerCallback", in_app: false },
    place: (file, className) => ({ ...path(file), module: className }),
  },
  python: {
    name: "sentry.python.django",
    version: "2.75.0",
    platform: "python",
    serverName: "catalogue-1",
    contexts: { runtime: { name: "CPython", version: "3.13.1" }, os: linux },
    library: {
      filename: "django/core/handlers/base.py",
      abs_path: "/srv/venv/lib/python3.13/site-packages/django/core/handlers/base.py",
      module: "django.core.handlers.base",
      function: "_get_response",
      in_app: false,
    },
    place: (file, className) => ({ ...path(file), module: className }),
  },
  go: {
    name: "sentry.go",
    version: "0.50.0",
    platform: "go",
    serverName: "stock-2",
    contexts: { runtime: { name: "go", version: "go1.26.0" }, os: linux },
    library: {
      abs_path: "/go/pkg/mod/github.com/go-chi/chi@v5.2.3/mux.go",
      module: "github.com/go-chi/chi",
      function: "(*Mux).ServeHTTP",
      in_app: true,
    },
    place: (file, className) => ({ abs_path: `/srv/app/${file}`, module: className }),
  },
  java: {
    name: "sentry.java.spring-boot.jakarta",
    version: "8.62.0",
    platform: "java",
    serverName: "billing-1",
    contexts: { runtime: { name: "Eclipse Adoptium", version: "25.0.1" }, os: linux },
    library: {
      filename: "DispatcherServlet.java",
      module: "org.springframework.web.servlet.DispatcherServlet",
      function: "doDispatch",
    },
    place: (file, className) => ({ filename: file.replace(/^.*\//, ""), module: className }),
  },
  php: {
    name: "sentry.php.laravel",
    version: "3.18.0",
    platform: "php",
    serverName: "returns-1",
    contexts: { runtime: { name: "php", version: "8.4.2" }, os: linux },
    library: {
      filename: "/vendor/laravel/framework/src/Illuminate/Routing/Route.php",
      function: "Illuminate\\Routing\\Route::run",
      in_app: true,
    },
    place: (file) => ({ filename: `/${file}`, abs_path: `/srv/app/${file}` }),
  },
  ruby: {
    name: "sentry.ruby.rails",
    version: "5.9.0",
    platform: "ruby",
    serverName: "mailer-1",
    contexts: { runtime: { name: "ruby", version: "3.4.1" }, os: linux },
    library: {
      filename: "action_controller/metal/basic_implicit_render.rb",
      abs_path: "/usr/local/bundle/gems/actionpack-8.1.0/lib/action_controller/metal/basic_implicit_render.rb",
      function: "send_action",
      in_app: false,
    },
    place: path,
  },
  rust: {
    name: "sentry.rust",
    version: "0.49.5",
    platform: "native",
    serverName: "search-1",
    contexts: { rust: { name: "rustc", version: "1.95.0" }, os: linux },
    library: { function: "core::panicking::panic_fmt", abs_path: "/rustc/59807616/library/core/src/panicking.rs" },
    place: (file, className) => ({ ...path(file), module: className }),
  },
} as const satisfies Record<string, DemoSdk>;

export type DemoSdkName = keyof typeof demoSdks;
