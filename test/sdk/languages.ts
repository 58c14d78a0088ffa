import { newestBrowser } from "./browser/language.ts";
import { django } from "./django/language.ts";
import { flask } from "./flask/language.ts";
import { go, newestGo } from "./go/language.ts";
import { java, newestJava } from "./java/language.ts";
import { kotlin } from "./kotlin/language.ts";
import type { BuildTool, CapturedLanguage, Language } from "./language.ts";
import { next } from "./next/language.ts";
import { newestNode, node } from "./node/language.ts";
import { newestPython, python } from "./python/language.ts";
import { rails } from "./rails/language.ts";
import { ravenGo } from "./raven-go/language.ts";
import { react } from "./react/language.ts";
import { reactNative } from "./react-native/language.ts";
import { debianRuby } from "./ruby/language.ts";
import { newestRust, rust } from "./rust/language.ts";
import { newestSentryCli, sentryCli } from "./sentry-cli/tool.ts";
import { newestVitePlugin, vitePlugin } from "./vite-plugin/tool.ts";
import { spring, springBoot4 } from "./spring/language.ts";
import { vue } from "./vue/language.ts";

/** The SDKs at the versions of specification 4.2. */
export const specified: readonly Language[] = [node, python, go, java, rust];

/** The SDKs of the specification that we could not install. */
export const captured: readonly CapturedLanguage[] = [
  { name: "php", sdk: "sentry/sentry", version: "3.18.0", reason: "Packagist could not be reached" },
  { name: "ruby", sdk: "sentry-ruby", version: "5.9.0", reason: "RubyGems could not be reached" },
];

/** The newest versions that installed when this was written, and what else reports to Faultline. */
export const others: readonly Language[] = [
  newestNode,
  newestBrowser,
  react,
  reactNative,
  vue,
  next,
  newestPython,
  django,
  flask,
  newestGo,
  newestJava,
  spring,
  springBoot4,
  kotlin,
  newestRust,
  debianRuby,
  rails,
  ravenGo,
];

/** The tools by which builds upload, of which docs/sdks.md has no table: docs/source-maps.md is about them. */
export const tools: readonly BuildTool[] = [sentryCli, newestSentryCli, vitePlugin, newestVitePlugin];
