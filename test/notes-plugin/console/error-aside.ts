import type { ErrorAside } from "@faultline/console/plugin";
import FatalPanel from "./FatalPanel.svelte";
import NotesPanel from "./NotesPanel.svelte";

export default {
  plugin: "notes",
  panels: [
    { name: "notes", place: 15, component: NotesPanel },
    { name: "fatal", place: 100, component: FatalPanel },
  ],
} satisfies ErrorAside;
