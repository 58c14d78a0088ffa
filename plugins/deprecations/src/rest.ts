import { bodyOf, day, isoDay, operation, orNull, paramsOf, single } from "@faultline/plugin/rest";
import { DeprecationSchema, DeprecationService, ListDeprecationsResponseSchema } from "@faultline/proto";

const { method } = DeprecationService;

const deprecation = bodyOf(
  DeprecationSchema,
  {
    deprecationId: "id",
    replacement: null,
    endOfSupportIn: null,
    removedIn: null,
    isBreaking: "breaking_change",
    announcedTime: false,
    removalTime: false,
  },
  {
    further: {
      announced_on: [orNull(day("The day of that release.")), ({ announcedTime }) => isoDay(announcedTime)],
      removed_on: [orNull(day("The day of that release.")), ({ removalTime }) => isoDay(removalTime)],
    },
  },
);

const deprecations = bodyOf(
  ListDeprecationsResponseSchema,
  { deprecations: { of: deprecation } },
  { name: "Deprecations", description: "The notices, with their state at a release." },
);

const release = { pattern: "^\\d{1,3}\\.\\d{1,3}$" };

/** The list has no pages. */
export const listDeprecations = operation(method.listDeprecations, "GET /deprecations", {
  tag: "Installation",
  summary: "List what the platform deprecates and removes",
  params: paramsOf(method.listDeprecations.input, { release, touchedIn: release }),
  answer: single(200, "The notices, the next removal first.", deprecations),
});
