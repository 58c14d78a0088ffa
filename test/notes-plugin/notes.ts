import { contractVersion, serve, type Host, type Plugin } from "@faultline/plugin";
import { filledText, list, noContent, operation, shape, single, text } from "@faultline/plugin/rest";
import { DeletionService } from "@faultline/proto";
import { Migration } from "@mikro-orm/migrations";
import { addNote, listNotes, NoteService, type AddNoteRequest, type ListNotesResponse } from "./schema.ts";

interface Tables {
  notes_note: { project_id: number; author: string; text: string };
}

class Notes0001 extends Migration {
  override name = "notes-0001";

  override up(): void {
    this.addSql("create table notes_note (project_id integer not null, author text not null, text text not null)");
  }
}

const notesOfProject = shape<ListNotesResponse>("Notes", "The notes of a project.", {
  texts: [list(text("A note behind the name of its author.")), ({ texts }) => texts],
});

/**
 * Notes that people write about the errors of a project: a complete feature in one folder. `onNoted` runs after it has
 * written notes of changes, in the same transaction; `onStart` gets its host.
 */
export const notes = ({ onNoted, onStart }: { onNoted: () => void; onStart: (host: Host) => void }): Plugin => ({
  name: "notes",
  contract: contractVersion,
  migrations: { sqlite: [Notes0001], postgresql: [Notes0001] },
  services: [
    serve(NoteService, ({ clock, database, notify, readers }) => ({
      async addNote(request, { caller, grant }) {
        const { text: words, errorId } = request as unknown as AddNoteRequest;
        const projectId = grant.project.id;
        const actor = caller.user.username;
        const named = (await readers.of(projectId)).filter(({ username }) => words.includes(`@${username}`));
        const userIds = named.map(({ userId }) => userId);
        const notice = { kind: "note_mention", projectId, errorId, at: clock.now(), actor, text: words, userIds };
        await database
          .write<Tables>()
          .transaction()
          .execute(async (transaction) => {
            const note = { project_id: projectId, author: actor, text: words };
            await transaction.insertInto("notes_note").values(note).execute();
            if (errorId !== "" && named.length > 0) await notify([notice], transaction);
          });
        return {};
      },
      async listNotes(_, { grant }) {
        const rows = await database
          .read<Tables>()
          .selectFrom("notes_note")
          .select(["author", "text"])
          .where("project_id", "=", grant.project.id)
          .execute();
        return { texts: rows.map((note) => `${note.author}: ${note.text}`) };
      },
    })),
  ],
  notifies: [
    { kind: "note", label: "Notes", headline: "New note", counted: ["new note", "new notes"], audience: "subscribers" },
    {
      kind: "note_mention",
      label: "Mentions",
      headline: "Mention",
      counted: ["mention", "mentions"],
      audience: "named",
    },
  ],
  errorTransitions: (host) => async (transitions, transaction) => {
    const made = transitions.map(({ projectId, errorId, kind, status }) => {
      return { project_id: projectId, author: "the service", text: `${kind} ${errorId}, status ${status}` };
    });
    const tables = transaction.write<Tables>();
    await tables.insertInto("notes_note").values(made).execute();
    const notices = transitions.map(({ projectId, errorId, kind, at }) => {
      return { kind: "note", projectId, errorId, at, actor: "", text: `The service noted: ${kind}` };
    });
    await host.notify(notices, tables);
    onNoted();
  },
  activity: async ({ clock }) => [{ at: clock.now(), actor: "root", text: "Noted" }],
  calls: [DeletionService.method.createDeletion],
  start: async (host) => onStart(host),
  rest: [
    operation(addNote, "POST /projects/:project/notes", {
      tag: "Notes",
      summary: "Add a note",
      params: { text: filledText("The note.", { maxLength: 1000 }) },
      answer: noContent,
      run: ({ params, invoke }) => invoke({ text: params.text }),
    }),
    operation(listNotes, "GET /projects/:project/notes", {
      tag: "Notes",
      summary: "List the notes of a project",
      answer: single(200, "The notes.", notesOfProject),
      run: async ({ invoke }) => (await invoke({})) as unknown as ListNotesResponse,
    }),
  ],
});
