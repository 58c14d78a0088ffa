import { readFileSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { curlSnippet } from "../../../console/src/routes/[...project]/-/error_tracking/get_started/curl-snippet.ts";
import { languages } from "../../../console/src/routes/[...project]/-/error_tracking/get_started/snippets.ts";
import { triedWith } from "../../../console/src/routes/[...project]/-/error_tracking/get_started/snippet-form.ts";
import { newestVersions, testedVersions, versionsTested } from "../../../console/src/lib/tested-versions.ts";
import { captured, others, specified as run } from "../../sdk/languages.ts";

const publicKey = "flck_9f0a1b2c3d4e5f60718293a4b5c6d7e8";
const dsn = `https://${publicKey}@errors.example/42`;

/** Specification 4.2, word for word but for the name of Node.js. */
const specified = [
  ["go", "Go", "0.20.0", "store", "exception, message"],
  ["java", "Java", "6.18.1", "envelope", "exception, message"],
  ["node", "Node.js", "7.38.0", "envelope", "exception, message"],
  ["php", "PHP", "3.18.0", "store", "exception, message"],
  ["python", "Python", "1.21.0", "envelope", "exception, message, session"],
  ["ruby", "Ruby", "5.9.0", "envelope", "exception, message"],
  ["rust", "Rust", "0.31.0", "envelope", "exception, message, session"],
] as const;

const snippets = suite("snippets");

snippets("the languages, versions, endpoints and item types are those of the specification", () => {
  assert.equal(
    languages.flatMap((one) =>
      "specified" in one ? [[one.key, one.name, one.specified, one.endpoint, one.items]] : [],
    ),
    specified,
  );
});

for (const { name, start, install, identify, test, debugNote, ...tried } of languages) {
  snippets(`${name} starts with the DSN, once and unchanged`, () => {
    assert.is(start(dsn).split(dsn).length, 2);
    assert.is(start("").length, start(dsn).length - dsn.length);
  });

  if ("installsNewest" in tried) {
    snippets(`${name} installs the newest version there is`, () => assert.not.match(install, /\d/));
  } else if ("version" in tried) {
    snippets(`${name} installs the newest tested version`, () => {
      assert.ok(install.includes(tried.version), install);
    });
  }

  snippets(`${name} identifies a user by an id, and sends an error that says what it is`, () => {
    assert.match(identify, /id\b/i);
    assert.match(identify, /["']42["']/);
    assert.match(test, /["']Test from Faultline["']/);
  });

  snippets(`${name} says how to see what is sent`, () => {
    assert.is(/debug/i.test(start(dsn)), debugNote.startsWith("debug prints"));
    assert.ok(debugNote.endsWith("."));
  });
}

snippets.run();

const programs = suite("programs of the get-started page");

/** The programs in test/sdk that `npm run test:sdk` runs, and how each names the DSN. PHP has none: see docs/sdks.md. */
const programOf = {
  go: ["go/get-started/main.go", 'os.Getenv("FAULTLINE_TEST_DSN")'],
  java: ["java/GetStarted.java", 'System.getenv("FAULTLINE_TEST_DSN")'],
  node: ["node/get-started.cjs", "process.env.FAULTLINE_TEST_DSN"],
  python: ["python/get-started.py", 'os.environ["FAULTLINE_TEST_DSN"]'],
  ruby: ["ruby/get-started.rb", 'ENV.fetch("FAULTLINE_TEST_DSN")'],
  rust: ["rust/src/bin/get-started.rs", 'env::var("FAULTLINE_TEST_DSN").unwrap()'],
  browser: ["browser/get-started.js", "window.dsn"],
  react: ["react/get-started.js", "window.dsn"],
  "react-native": ["react-native/App.jsx", "window.dsn"],
  vue: ["vue/get-started.js", "window.dsn"],
  next: ["next/instrumentation.js", "process.env.FAULTLINE_TEST_DSN", "next/app/faultline-test/route.js"],
  django: ["django/get-started.py", 'os.environ["FAULTLINE_TEST_DSN"]'],
  flask: ["flask/get-started.py", 'os.environ["FAULTLINE_TEST_DSN"]'],
  rails: ["rails/get-started.rb", 'ENV.fetch("FAULTLINE_TEST_DSN")'],
  spring: ["spring/GetStarted.java", "${FAULTLINE_TEST_DSN}", "spring/application.properties"],
} as const;

/** The lines between comments such as `// snippet: start`, by what the comment says, without their indentation. */
function regionsOf(text: string): Map<string, string> {
  const [, ...parts] = text.split(/^[ \t]*(?:\/\/|#) snippet: (\w+)\n/m);
  const regions = new Map<string, string>();
  for (let index = 0; index + 1 < parts.length; index += 2) {
    const lines = (parts[index + 1] ?? "").trimEnd();
    const [indentation = ""] = /^[ \t]*/.exec(lines) ?? [];
    regions.set(parts[index] ?? "", lines.replaceAll(new RegExp(`^${indentation}`, "gm"), ""));
  }
  return regions;
}

const isRun = (key: string): key is keyof typeof programOf => key in programOf;

programs("all that have a version are run, but for PHP, whose requests are replayed", () => {
  assert.equal(
    languages.flatMap((one) => ("version" in one && !isRun(one.key) ? [one.key] : [])),
    ["php"],
  );
});

for (const { key, name, start, identify, test } of languages) {
  if (!isRun(key)) continue;
  const [file, dsnExpression, ...more] = programOf[key];
  programs(`${name} shows what test/sdk/${file} runs`, () => {
    const texts = [file, ...more].map((one) => readFileSync(join(import.meta.dirname, "../../sdk", one), "utf8"));
    const regions = regionsOf(texts.join("\n"));
    assert.is(
      regions.get("start"),
      start("the DSN").replace(/["']?the DSN["']?/, () => dsnExpression),
    );
    assert.is(regions.get("identify"), identify);
    assert.is(regions.get("test"), test);
    assert.ok(regions.has("end"));
  });
}

programs("the versions that the page names are those that are run", () => {
  const versions = [...run, ...captured].map(({ name, version }) => [name, version] as const);
  assert.equal(Object.fromEntries(versions), { ...testedVersions });
  const newest = others.map(({ name, version }) => [name, version] as const);
  for (const [name, version] of Object.entries(newestVersions)) {
    assert.is(Object.fromEntries(newest)[name], version, name);
  }
});

programs("the page says which versions were tried, and those of the specification that differ", () => {
  const tried = Object.fromEntries(languages.map((language) => [language.key, triedWith(language)]));
  assert.is(tried["go"], "Tested with 0.50.0, and with 0.20.0 at the store endpoint");
  const unrun = "the newest version, which these lines install, was not run";
  assert.is(tried["php"], `Tested with 3.18.0 at the store endpoint; ${unrun}`);
  assert.is(tried["ruby"], `Tested with 5.9.0 at the envelope endpoint; ${unrun}`);
  assert.is(tried["rails"], `Tested with 5.3.0 at the envelope endpoint; ${unrun}`);
  assert.is(tried["vue"], "Tested with 11.11.0 · envelope endpoint");
  assert.is(
    tried["react-native"],
    "Tested with 8.28.0 in a browser by react-native-web, not on a phone · envelope endpoint",
  );
  assert.is(tried["android"], "Written from the SDK's documentation; only the form of its events was tested");
});

programs.run();

const curl = suite("curl snippet");

for (const [text, address] of [
  [dsn, `https://errors.example/api/42/store/?sentry_version=7&sentry_key=${publicKey}`],
  [
    `http://${publicKey}@127.0.0.1:8080/1`,
    `http://127.0.0.1:8080/api/1/store/?sentry_version=7&sentry_key=${publicKey}`,
  ],
  [
    `https://${publicKey}:${publicKey}@errors.example/42`,
    `https://errors.example/api/42/store/?sentry_version=7&sentry_key=${publicKey}`,
  ],
  [
    `https://${publicKey}@h.example/a/b/42`,
    `https://h.example/a/b/api/42/store/?sentry_version=7&sentry_key=${publicKey}`,
  ],
] as const) {
  curl(`${text.replaceAll(publicKey, "<key>")} sends to the store endpoint below its prefix`, () => {
    assert.ok(curlSnippet(text).startsWith(`curl -X POST '${address}' `), curlSnippet(text));
  });
}

curl("the body is JSON", () => {
  const [, body = ""] = /-d '([^']*)'$/.exec(curlSnippet(dsn)) ?? [];
  assert.equal(JSON.parse(body), { message: "Test from Faultline", level: "error" });
});

for (const text of ["", "errors.example", `https://errors.example/42`, `https://${publicKey}@errors.example/web`]) {
  curl(`${JSON.stringify(text.replaceAll(publicKey, "<key>"))} is no DSN and has no snippet`, () => {
    assert.is(curlSnippet(text), "");
  });
}

curl.run();

const tested = suite("tested versions");

for (const [sdk, ...versions] of [
  ["sentry.go", "0.20.0", "0.50.0"],
  ["sentry.java", "6.18.1", "8.62.0"],
  ["sentry.java.spring-boot.jakarta", "8.52.0"],
  ["sentry.java.android"],
  ["sentry.javascript.node", "7.38.0", "11.12.0"],
  ["sentry.javascript.browser", "11.12.0"],
  ["sentry.javascript.react", "11.12.0"],
  ["sentry.javascript.react-native", "8.28.0"],
  ["sentry.php", "3.18.0"],
  ["sentry.php.laravel"],
  ["sentry.python", "1.21.0", "2.75.0"],
  ["sentry.python.django", "1.21.0", "2.75.0"],
  ["sentry.ruby", "5.3.0", "5.9.0"],
  ["sentry.ruby.rails", "5.3.0"],
  ["sentry.rust", "0.31.0", "0.49.5"],
  ["sentry.gopher"],
  ["sentry.dotnet"],
  [""],
] as const) {
  tested(
    `${sdk || "no SDK"} was ${versions.length === 0 ? "not tested" : `tested with ${versions.join(", ")}`}`,
    () => {
      assert.equal(versionsTested(sdk), versions);
    },
  );
}

tested.run();
