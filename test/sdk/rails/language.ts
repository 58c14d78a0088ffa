import { join } from "node:path";
import { repositoryRoot } from "../../support/service/server.ts";
import { getStarted } from "../get-started.ts";
import type { Language } from "../language.ts";
import { debianPackages } from "../ruby/debian-packages.ts";

const version = "5.3.0";

/** A controller that raises, with Debian's packages, because RubyGems may be unreachable. */
export const rails: Language = {
  name: "rails",
  sdk: "ruby-sentry-rails",
  version,
  build: (dir) => [
    ...debianPackages(dir, ["ruby", "ruby-sentry-rails", "ruby-railties"]),
    {
      words: ["ruby", "-e", `require "sentry-rails"; exit Sentry::Rails::VERSION == "${version}"`],
      cwd: dir,
      limitSeconds: 30,
      provides: `Debian's ruby-sentry-rails ${version}`,
    },
  ],
  start: () => ({
    words: ["ruby", join(import.meta.dirname, "get-started.rb")],
    cwd: repositoryRoot,
    limitSeconds: 30,
  }),
  features: [getStarted],
  remarks: ["Debian's package, with Rails 6.1; only the lines of the Get started page"],
};
