import type { PaletteSource } from "@faultline/console/plugin";
import { trpc } from "@faultline/console/trpc.ts";
import { offered } from "./offered.ts";

const offerSearches: PaletteSource = async ({ projectId, path }) => {
  const { savedSearches } = await trpc.savedSearches.listSavedSearches.query({ projectId });
  return savedSearches.map((search) => offered(search, path));
};
export default offerSearches;
