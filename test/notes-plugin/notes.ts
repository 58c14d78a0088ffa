import { contractVersion, serve, type Plugin } from "@faultline/plugin";
import { Migration } from "@mikro-orm/migrations";
import { NoteService, type AddNoteRequest } from "./schema.ts";

interface Tables {
  notes_note: { project_id: number; author: string; text: string };
}

class Notes0001 extends Migration {
  override name = "notes-0001";

  override up(): void {
    this.addSql("create table notes_note (project_id integer not null, author text not null, text text not null)");
  }
}

/** Notes that people write beside the errors of a project: a whole feature in one folder. */
export const notes = (): Plugin => ({
  name: "notes",
  contract: contractVersion,
  migrations: { sqlite: [Notes0001], postgresql: [Notes0001] },
  services: [
    serve(NoteService, ({ database }) => ({
      async addNote(request, { caller, grant }) {
        const { text } = request as unknown as AddNoteRequest;
        const note = { project_id: grant.project.id, author: caller.user.username, text };
        await database.write<Tables>().insertInto("notes_note").values(note).execute();
        return {};
      },
      async listNotes(_, { grant }) {
        const rows = await database
          .read<Tables>()
          .selectFrom("notes_note")
          .select(["author", "text"])
          .where("project_id", "=", grant.project.id)
          .execute();
        return { texts: rows.map(({ author, text }) => `${author}: ${text}`) };
      },
    })),
  ],
});
