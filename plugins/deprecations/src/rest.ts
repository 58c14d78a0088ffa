import {
  choice,
  day,
  each,
  flag,
  isoDay,
  namedParam,
  single,
  operation,
  orEmpty,
  orNull,
  shape,
  text,
  textParam,
} from "@faultline/plugin/rest";
import {
  DeprecationAreaSchema,
  DeprecationService,
  DeprecationStateSchema,
  wordOf,
  words,
  type Deprecation,
  type ListDeprecationsResponse,
} from "@faultline/proto";

const areas = words(DeprecationAreaSchema);

const deprecation = shape<Deprecation>("Deprecation", "What the platform announces, deprecates or removes.", {
  id: [text("Such as `users-offset-pagination`; never changes."), ({ deprecationId }) => deprecationId],
  area: [choice("Which interface.", Object.keys(areas)), ({ area }) => wordOf(DeprecationAreaSchema, area)],
  subject: [text("Such as `GET /users`."), ({ subject }) => subject],
  change: [text("The change, in a sentence."), ({ change }) => change],
  replacement: [
    orNull(
      text(
        "The replacement; ends in `(not part of this service)` where this service does not have it, unless it is another request to the same interface.",
      ),
    ),
    ({ replacement }) => replacement || null,
  ],
  announced_in: [text("The release that announced it."), ({ announcedIn }) => announcedIn],
  announced_on: [orNull(day("The day of that release.")), ({ announcedTime }) => isoDay(announcedTime)],
  end_of_support_in: [
    orNull(text("The release from which on it is not supported: requests that use it are refused.")),
    ({ endOfSupportIn }) => endOfSupportIn || null,
  ],
  removed_in: [orNull(text("The release that removes it.")), ({ removedIn }) => removedIn || null],
  removed_on: [orNull(day("The day of that release.")), ({ removalTime }) => isoDay(removalTime)],
  breaking_change: [flag("The removal breaks callers."), ({ isBreaking }) => isBreaking],
  state: [
    choice("Its state.", Object.keys(words(DeprecationStateSchema))),
    ({ state }) => wordOf(DeprecationStateSchema, state) ?? "",
  ],
});

const deprecations = shape<ListDeprecationsResponse>("Deprecations", "The notices, with their state at a release.", {
  release: [text("The release at which the notices have these states."), ({ release }) => release],
  deprecations: each(deprecation, (answer) => answer.deprecations),
});

const release = { pattern: "^\\d{1,3}\\.\\d{1,3}$" };

/** The list has no pages. */
export const listDeprecations = operation(DeprecationService.method.listDeprecations, "GET /deprecations", {
  tag: "Installation",
  summary: "List what the platform deprecates and removes",
  params: {
    area: namedParam("Only this interface.", areas),
    release: orEmpty(
      textParam("A release of the platform, such as `17.0`. If omitted, the release of this installation.", release),
    ),
    touched_in: orEmpty(textParam("Only what was announced or removed in this release.", release)),
  },
  answer: single(200, "The notices, the next removal first.", deprecations),
  run: ({ params: { area, release: at, touched_in: touchedIn }, invoke }) =>
    invoke({ release: at, touchedIn, ...(area !== undefined && { area }) }),
});
