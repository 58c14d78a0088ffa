import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { run } from "../command.ts";
import type { BuildTool } from "../language.ts";

const tool = (version: string, { readsClaims }: { readonly readsClaims: boolean }): BuildTool => ({
  name: "vite-plugin",
  sdk: "@sentry/vite-plugin",
  version,
  packages: { vite: "8.3.8" },
  remarks: [],
  prepare,
  async attempt(dir, { claims, plain, wrong }) {
    // The newest reads neither address nor organization from a token, and takes its own service for both.
    const spelled = readsClaims ? claims : { ...plain, ...claims };
    return new Map([
      ["a wrong token uploads nothing, and the build stays green", await failureOf(dir, wrong, /error/i)],
      ["uploads with a token as it is", await failureOf(dir, plain, succeeded)],
      ["uploads with a token as Sentry's tools spell it", await failureOf(dir, spelled, succeeded)],
    ]);
  },
});

/** Runs sentry-cli 2. */
export const vitePlugin = tool("5.4.1", { readsClaims: true });

/** Has the package `sentry` within it. */
export const newestVitePlugin = tool("11.9.0", { readsClaims: false });

const succeeded = /Successfully uploaded source maps/;

async function prepare(dir: string): Promise<void> {
  const files = {
    "index.html": '<script type="module" src="/main.js"></script>',
    "main.js": 'export const sell = () => {\n  throw new Error("sold out");\n};\nsetTimeout(sell, 1);\n',
    "vite.config.js": `import { sentryVitePlugin } from "@sentry/vite-plugin";
export default { build: { sourcemap: true }, plugins: [sentryVitePlugin({ telemetry: false })] };
`,
  };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(dir, name), text);
}

async function failureOf(
  dir: string,
  environment: Readonly<Record<string, string>>,
  words: RegExp,
): Promise<string | undefined> {
  const { code, output } = await run({
    words: [join(dir, "node_modules/.bin/vite"), "build"],
    cwd: dir,
    limitSeconds: 120,
    // The home directory has a configuration of the tool and its memory of an address.
    env: { HOME: dir, NODE_ENV: "production", SENTRY_CLI_NO_TELEMETRY: "1", ...environment },
  });
  return code === 0 && words.test(output) ? undefined : `ended with ${code}, without ${words}:\n${output.slice(-2000)}`;
}
