import type { Sample } from "./samples.ts";

/** A search of the caller, and a search of the project. */
export default {
  async make({ savedSearches, auth }, { projectId }) {
    await savedSearches.createSavedSearch({ projectId, name: "Pay", query: "payment" }, auth);
    const shared = { projectId, name: "Pay", query: "payment", shared: true };
    const { savedSearch } = await savedSearches.createSavedSearch(shared, auth);
    return { savedSearchId: String(savedSearch?.savedSearchId) };
  },
  read: ({ savedSearches, auth }, { projectId }) => savedSearches.listSavedSearches({ projectId }, auth),
} satisfies Sample;
