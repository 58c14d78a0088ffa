import { accountRouter } from "./account.ts";
import { clientKeyRouter } from "./client-key.ts";
import { errorRouter } from "./error.ts";
import { outcomeRouter } from "./outcome.ts";
import { router } from "./procedures.ts";
import { projectRouter } from "./project.ts";
import { releaseRouter } from "./release.ts";
import { settingsRouter } from "./settings.ts";

/** Every procedure the pages may call. */
export const appRouter = router({
  account: accountRouter,
  projects: projectRouter,
  settings: settingsRouter,
  clientKeys: clientKeyRouter,
  errors: errorRouter,
  releases: releaseRouter,
  outcomes: outcomeRouter,
});

export type AppRouter = typeof appRouter;
