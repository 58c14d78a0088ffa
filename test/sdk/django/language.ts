import { getStarted } from "../get-started.ts";
import type { Language } from "../language.ts";
import { virtualEnvironment } from "../python/virtual-environment.ts";

const version = "2.75.0";

/** A view that raises. */
export const django: Language = {
  name: "django",
  sdk: "sentry-sdk",
  version,
  ...virtualEnvironment(import.meta.dirname, [`sentry-sdk==${version}`, "django==5.2.19"]),
  features: [getStarted],
  remarks: ["with Django 5.2.19; only the lines of the Get started page"],
};
