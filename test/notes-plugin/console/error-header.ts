import type { ErrorHeader } from "@faultline/console/plugin";
import NotesLine from "./NotesLine.svelte";

export default { plugin: "notes", line: NotesLine } satisfies ErrorHeader;
