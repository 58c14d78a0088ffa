import { route } from "@faultline/console/navigation/route.ts";
import type { PaletteSource } from "@faultline/console/plugin";

const offerNotes: PaletteSource = async ({ path }) => [
  { label: "Write a note", note: "Note", href: route.projectPage(path, "notes"), words: "remember" },
];
export default offerNotes;
