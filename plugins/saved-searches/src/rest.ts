import {
  badParameter,
  choice,
  filledText,
  flag,
  flagParam,
  idInPath,
  namedParam,
  noContent,
  operation,
  orEmpty,
  positive,
  present,
  shape,
  single,
  text,
  textParam,
  whole,
  withDefault,
  type Parameter,
} from "@faultline/plugin/rest";
import {
  ErrorReason,
  ErrorSort,
  ErrorSortSchema,
  ErrorStatus,
  ErrorStatusSchema,
  SavedSearchService,
  wordOf,
  words,
  type SavedSearch,
} from "@faultline/proto";

const tag = "Saved searches";
const { method } = SavedSearchService;

const statuses = words(ErrorStatusSchema, "all");
const sorts = words(ErrorSortSchema);

const savedSearch = shape<SavedSearch>("SavedSearch", "A search under a name.", {
  id: [positive("The saved search."), ({ savedSearchId }) => savedSearchId],
  name: [text("Its name."), ({ name }) => name],
  query: [text("The search (docs/search.md); may be empty."), ({ query }) => query],
  status: [
    choice("Errors of this status.", Object.keys(statuses)),
    (of) => wordOf(ErrorStatusSchema, of.status) ?? "all",
  ],
  sort: [choice("The order, always descending.", Object.keys(sorts)), (of) => wordOf(ErrorSortSchema, of.sort)],
  shared: [flag("It belongs to the project, and not to you alone."), ({ shared }) => shared],
});

const query = textParam("The search (docs/search.md).", { maxLength: 500 });
const status = namedParam("Errors of this status.", statuses);
const sort = namedParam("The order, always descending.", sorts);
const nameBounds = { minLength: 1, maxLength: 80 };

const position: Parameter<number | undefined> = {
  schema: { type: "integer", minimum: 0, maximum: 49, description: "Its new place in its list, from 0." },
  read(value, name) {
    if (value === undefined || value === null) return undefined;
    if (!/^\d{1,2}$/.test(String(value))) throw badParameter(name, "is invalid");
    return Number(value);
  },
};

const list = "/projects/:project/error_tracking/saved_searches" as const;
const path = { saved_search_id: idInPath("The saved search.", ErrorReason.SAVED_SEARCH_NOT_FOUND) };

export const listSavedSearches = operation(method.listSavedSearches, `GET ${list}`, {
  tag,
  summary: "List your saved searches and the project's",
  answer: whole("Your own searches, then the searches of the project.", savedSearch),
  run: async ({ invoke }) => (await invoke({})).savedSearches,
});

export const createSavedSearch = operation(method.createSavedSearch, `POST ${list}`, {
  tag,
  summary: "Save a search",
  more: "A `shared` one needs the Maintainer role.",
  params: {
    name: filledText("Its name, unique in its list.", nameBounds),
    query: orEmpty(query),
    status: withDefault<ErrorStatus>(status, ErrorStatus.UNRESOLVED, "unresolved"),
    sort: withDefault<ErrorSort>(sort, ErrorSort.LAST_SEEN, "last_seen"),
    shared: withDefault(flagParam("For everyone in the project."), false),
  },
  answer: single(201, "The saved search.", savedSearch),
  run: async ({ params, invoke }) => present((await invoke(params)).savedSearch),
});

export const updateSavedSearch = operation(method.updateSavedSearch, `PUT ${list}/:saved_search_id`, {
  tag,
  summary: "Change a saved search",
  more: "Omitted fields keep their values. To change a search of the project, you need the Maintainer role.",
  path,
  params: { name: textParam("Its name.", nameBounds), query, status, sort, position },
  answer: single(200, "The changed search.", savedSearch),
  async run({ path: { saved_search_id: savedSearchId }, params, invoke }) {
    const given = Object.fromEntries(Object.entries(params).filter(([, value]) => value !== undefined));
    return present((await invoke({ savedSearchId, ...given })).savedSearch);
  },
});

export const deleteSavedSearch = operation(method.deleteSavedSearch, `DELETE ${list}/:saved_search_id`, {
  tag,
  summary: "Delete a saved search",
  more: "To change a search of the project, you need the Maintainer role.",
  path,
  answer: noContent,
  run: ({ path: { saved_search_id: savedSearchId }, invoke }) => invoke({ savedSearchId }),
});
