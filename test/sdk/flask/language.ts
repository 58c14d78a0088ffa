import { getStarted } from "../get-started.ts";
import type { Language } from "../language.ts";
import { virtualEnvironment } from "../python/virtual-environment.ts";

const version = "2.75.0";

/** A view that raises. */
export const flask: Language = {
  name: "flask",
  sdk: "sentry-sdk",
  version,
  ...virtualEnvironment(import.meta.dirname, [`sentry-sdk==${version}`, "flask==3.1.3"]),
  features: [getStarted],
  remarks: ["with Flask 3.1.3; only the lines of the Get started page"],
};
