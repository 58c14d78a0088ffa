/**
 * The service of the plugin in the guide, in protoc's form: package `notes.v1`, with the options that say who may call
 * a method and what the audit log records about it.
 */
import { create, createFileRegistry, setExtension, type DescMethodUnary, type DescService } from "@bufbuild/protobuf";
import {
  FieldDescriptorProto_Label as Label,
  FieldDescriptorProto_Type as Type,
  FileDescriptorProtoSchema,
  MethodOptions_IdempotencyLevel,
  MethodOptionsSchema,
} from "@bufbuild/protobuf/wkt";
import {
  audit,
  file_faultline_v1_role,
  needs,
  Needs_Scope,
  Needs_Who,
  NeedsSchema,
  Permission,
} from "@faultline/proto";

function options({ scope, permission, sentence }: { scope: Needs_Scope; permission: Permission; sentence?: string }) {
  const made = create(MethodOptionsSchema);
  setExtension(made, needs, create(NeedsSchema, { who: Needs_Who.MEMBER, scope, permission }));
  if (sentence === undefined) made.idempotencyLevel = MethodOptions_IdempotencyLevel.NO_SIDE_EFFECTS;
  else setExtension(made, audit, sentence);
  return made;
}

const field = (name: string, number: number, type: Type, label = Label.OPTIONAL) => ({
  name,
  number,
  type,
  label,
});

const file = create(FileDescriptorProtoSchema, {
  name: "notes/v1/note.proto",
  package: "notes.v1",
  syntax: "proto3",
  dependency: ["faultline/v1/role.proto"],
  messageType: [
    {
      name: "AddNoteRequest",
      field: [field("project_id", 1, Type.UINT32), field("text", 2, Type.STRING), field("error_id", 3, Type.STRING)],
    },
    { name: "AddNoteResponse" },
    { name: "ListNotesRequest", field: [field("project_id", 1, Type.UINT32)] },
    { name: "ListNotesResponse", field: [field("texts", 1, Type.STRING, Label.REPEATED)] },
  ],
  service: [
    {
      name: "NoteService",
      method: [
        {
          name: "AddNote",
          inputType: ".notes.v1.AddNoteRequest",
          outputType: ".notes.v1.AddNoteResponse",
          options: options({
            scope: Needs_Scope.WRITE,
            permission: Permission.UPDATE_ERROR_TRACKING,
            sentence: 'Added the note "{{text}}".',
          }),
        },
        {
          name: "ListNotes",
          inputType: ".notes.v1.ListNotesRequest",
          outputType: ".notes.v1.ListNotesResponse",
          options: options({ scope: Needs_Scope.READ, permission: Permission.READ_ERROR_TRACKING }),
        },
      ],
    },
  ],
});

const registry = createFileRegistry(file, (name) =>
  name === file_faultline_v1_role.proto.name ? file_faultline_v1_role : undefined,
);

export const NoteService = registry.getService("notes.v1.NoteService") as DescService;

export const [addNote, listNotes] = NoteService.methods as [DescMethodUnary, DescMethodUnary];

export interface ListNotesResponse {
  readonly texts: readonly string[];
}

export interface AddNoteRequest {
  readonly projectId: number;
  readonly text: string;
  /** Empty if the note is about no error. */
  readonly errorId: string;
}
