import type { Call, ServerPart } from "@faultline/console/plugin.server";
import { action } from "@faultline/console/server/action.ts";
import { NoteService } from "../schema.ts";

interface NotesClient {
  listNotes(request: { projectId: number }): Promise<{ texts: string[] }>;
  addNote(request: { projectId: number; text: string }): Promise<object>;
}

/** Code that protoc generates has the types of its methods; this schema was made by hand. */
const clientOf = ({ client }: Call) => client(NoteService) as unknown as NotesClient;

async function notesOf(call: Call & { project: { projectId: number } }) {
  const { texts } = await clientOf(call).listNotes({ projectId: call.project.projectId });
  return { texts: [...texts] };
}

const page = {
  load: notesOf,
  actions: {
    add: async (call: Call & { projectPath: string; form: FormData }) =>
      action(async () => {
        const text = String(call.form.get("text") ?? "");
        const { project } = await call.api.projects.getProject({ path: call.projectPath });
        await clientOf(call).addNote({ projectId: project?.projectId ?? 0, text });
        return { added: text };
      }),
  },
};

export default {
  plugin: "notes",
  errorAside: {
    notes: notesOf,
    async fatal({ event }) {
      const level = (await event())?.level;
      if (level === "warning") await new Promise(() => undefined); // never answers
      if (level === "fatal") throw new Error("this load fails");
      return { words: "This event is not fatal." };
    },
  },
  async errorHeader(call) {
    const { project } = await call.api.projects.getProject({ path: call.projectPath });
    return notesOf({ ...call, project: { projectId: project?.projectId ?? 0 } });
  },
  projectPages: { notes: page },
  settings: { notes: page },
  errorTabs: { notes: page },
} satisfies ServerPart;
