import { bodyOf, idInPath, noContent, operation, paramsOf, single, whole } from "@faultline/plugin/rest";
import { ErrorReason, ErrorSort, ErrorStatus, SavedSearchSchema, SavedSearchService } from "@faultline/proto";

const tag = "Saved searches";
const { method } = SavedSearchService;

const statuses = {
  unresolved: ErrorStatus.UNRESOLVED,
  resolved: ErrorStatus.RESOLVED,
  ignored: ErrorStatus.IGNORED,
  all: ErrorStatus.UNSPECIFIED,
} as const;

const sorts = {
  last_seen: ErrorSort.LAST_SEEN,
  first_seen: ErrorSort.FIRST_SEEN,
  frequency: ErrorSort.EVENT_COUNT,
  users: ErrorSort.USER_COUNT,
} as const;

const savedSearch = bodyOf(SavedSearchSchema, {
  savedSearchId: "id",
  projectId: false,
  status: { words: statuses },
  sort: { words: sorts },
});

const name = { minLength: 1, maxLength: 80 };
const query = { maxLength: 500 };

const list = "/projects/:project/error_tracking/saved_searches" as const;
const path = { saved_search_id: idInPath("The saved search.", ErrorReason.SAVED_SEARCH_NOT_FOUND) };

export const listSavedSearches = operation(method.listSavedSearches, `GET ${list}`, {
  tag,
  summary: "List your saved searches and the project's",
  answer: whole("Your own searches, then the searches of the project.", savedSearch),
});

export const createSavedSearch = operation(method.createSavedSearch, `POST ${list}`, {
  tag,
  summary: "Save a search",
  more: "A `shared` one needs the Maintainer role.",
  params: paramsOf(method.createSavedSearch.input, {
    name: { isRequired: true, ...name },
    query,
    status: { words: statuses, default: "unresolved" },
    sort: { words: sorts, default: "last_seen" },
  }),
  answer: single(201, "The saved search.", savedSearch),
});

export const updateSavedSearch = operation(method.updateSavedSearch, `PUT ${list}/:saved_search_id`, {
  tag,
  summary: "Change a saved search",
  more: "Omitted fields keep their values. To change a search of the project, you need the Maintainer role.",
  path,
  params: paramsOf(method.updateSavedSearch.input, {
    name,
    query,
    status: { words: statuses },
    sort: { words: sorts },
    position: { minimum: 0, maximum: 49 },
  }),
  answer: single(200, "The changed search.", savedSearch),
});

export const deleteSavedSearch = operation(method.deleteSavedSearch, `DELETE ${list}/:saved_search_id`, {
  tag,
  summary: "Delete a saved search",
  more: "To change a search of the project, you need the Maintainer role.",
  path,
  answer: noContent,
});
