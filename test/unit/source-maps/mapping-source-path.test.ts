import { test } from "uvu";
import * as assert from "uvu/assert";
import {
  absolutePath,
  displayName,
  isInApp,
  moduleName,
} from "../../../plugins/source-maps/src/mapping/source-path.ts";

const shown: [source: string, name: string, module: string][] = [
  ["webpack:///./src/pay.ts", "src/pay.ts", "src/pay"],
  ["webpack:///src/pay.ts", "src/pay.ts", "src/pay"],
  ["webpack://shop/./src/pay.ts?a1b2", "src/pay.ts?a1b2", "src/pay"],
  ["webpack://shop/../shared/pay.tsx", "shared/pay.tsx", "shared/pay"],
  ["webpack-internal:///./src/pay.js", "src/pay.js", "src/pay"],
  ["webpack:///~/react/index.js", "~/react/index.js", "~/react/index"],
  ["webpack://shop/~/react/index.js", "~/react/index.js", "~/react/index"],
  ["/~/react/index.js", "~/react/index.js", "~/react/index"],
  ["webpack://shop/webpack/runtime/load", "webpack/runtime/load", "webpack/runtime/load"],
  ["turbopack:///[project]/app/page.tsx", "app/page.tsx", "app/page"],
  ["turbopack:///app/page.tsx", "app/page.tsx", "app/page"],
  ["../../src/./lib/../pay.svelte", "src/pay.svelte", "src/pay"],
  ["./pay.vue", "pay.vue", "pay"],
  ["src/pay.service.ts", "src/pay.service.ts", "src/pay.service"],
  ["src/.eslintrc", "src/.eslintrc", "src/.eslintrc"],
  ["/srv/app/pay.mjs", "/srv/app/pay.mjs", "srv/app/pay"],
  ["/../pay.ts", "/pay.ts", "pay"],
  ["https://shop.example/static/../src/pay.js", "https://shop.example/src/pay.js", "src/pay"],
  ["app:///main.js", "app:///main.js", "main"],
  ["__proto__", "__proto__", "__proto__"],
  ["", "", ""],
];

for (const [source, name, module] of shown) {
  test(`${source || "a source without a name"} is shown as ${name || "that"}, module ${module || "none"}`, () => {
    assert.equal(displayName(source), name);
    assert.equal(moduleName(source), module);
  });
}

const absolute: [source: string, map: string, path: string][] = [
  ["../src/pay.ts", "https://shop.example/static/app.js.map", "https://shop.example/src/pay.ts"],
  ["webpack:///./src/pay.ts", "https://shop.example/app.js.map", "webpack:///./src/pay.ts"],
  ["/srv/pay.ts", "app:///dist/app.js.map", "app:///srv/pay.ts"],
  ["../src/pay.ts", "~/static/app.js.map", "../src/pay.ts"],
  ["../src/pay.ts", "", "../src/pay.ts"],
];

for (const [source, map, path] of absolute) {
  test(`${source} of the map ${map || "without a URL"} is ${path}`, () =>
    assert.equal(absolutePath(source, map), path));
}

const application = [
  "./src/pay.ts",
  "app:///main.js",
  "webpack://shop/./src/webpack-runtime.ts",
  "src/node_modules.ts",
  "",
];
const foreign = [
  "../node_modules/react/index.js",
  "C:\\shop\\node_modules\\react\\index.js",
  "webpack:///~/react/index.js",
  "~/react/index.js",
  "webpack://shop/webpack/runtime/load script",
  "webpack:///webpack/bootstrap 12ab",
  "webpack:///(webpack)/buildin/global.js",
  "(webpack)-dev-server/client",
  "chrome-extension://abc/content.js",
  "safari-web-extension://abc/content.js",
];

for (const source of application) {
  test(`${source || "a source without a name"} is code of the application, unless the map ignores it`, () => {
    assert.ok(isInApp(source, false));
    assert.not(isInApp(source, true));
  });
}

for (const source of foreign) test(`${source} is code of others`, () => assert.not(isInApp(source, false)));

test.run();
