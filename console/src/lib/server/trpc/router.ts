import { accountRouter } from "./account.ts";
import { auditRouter } from "./audit.ts";
import { clientKeyRouter } from "./client-key.ts";
import { deprecationRouter } from "./deprecation.ts";
import { errorRouter } from "./error.ts";
import { filterRouter } from "./filter.ts";
import { instanceRouter } from "./instance.ts";
import { memberRoleRouter } from "./member-role.ts";
import { memberRouter } from "./member.ts";
import { outcomeRouter } from "./outcome.ts";
import { router } from "./procedures.ts";
import { projectRouter } from "./project.ts";
import { quotaRouter } from "./quota.ts";
import { releaseRouter } from "./release.ts";
import { settingsRouter } from "./settings.ts";
import { unstoredEventRouter } from "./unstored-event.ts";
import { userRouter } from "./user.ts";

/** Every procedure the pages may call. */
export const appRouter = router({
  account: accountRouter,
  users: userRouter,
  members: memberRouter,
  memberRoles: memberRoleRouter,
  projects: projectRouter,
  quotas: quotaRouter,
  settings: settingsRouter,
  filters: filterRouter,
  clientKeys: clientKeyRouter,
  errors: errorRouter,
  releases: releaseRouter,
  outcomes: outcomeRouter,
  unstoredEvents: unstoredEventRouter,
  audit: auditRouter,
  instance: instanceRouter,
  deprecations: deprecationRouter,
});

export type AppRouter = typeof appRouter;
