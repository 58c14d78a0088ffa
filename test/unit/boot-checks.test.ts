import { externalBackend } from "@faultline/external-backend";
import { integratedBackend } from "@faultline/integrated-backend";
import {
  contractVersion,
  type IngestQueue,
  type NotificationKind,
  serve,
  type Plugin,
  type ServedService,
  StartRefusal,
} from "@faultline/plugin";
import { noContent, operation } from "@faultline/plugin/rest";
import { Backend, DeprecationService, services } from "@faultline/proto";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { ProjectEntity } from "../../backend/src/services/tables/project.ts";
import { UserEntity } from "../../backend/src/services/tables/user.ts";
import { backendsByKind, checkPlugins, eventStore, servicesWith } from "../../backend/src/host/plugins/boot-checks.ts";
import { coreOf, guardedServices, implementation } from "../../backend/src/services/core.ts";
import { listNotes, NoteService } from "../notes-plugin/schema.ts";

const checks = suite("boot checks");

const plugin = (fields: Partial<Plugin> = {}): Plugin => ({ name: "extra", contract: contractVersion, ...fields });
const queue: IngestQueue = { accept: () => Promise.resolve() };
const never = () => Promise.reject(new Error("called"));
const walls = {} as Parameters<typeof guardedServices>[1]; // that no call reaches
const ofNotes: ServedService = serve(NoteService, () => ({}));
const noteAt = (path: `/${string}`) =>
  operation(listNotes, `GET ${path}`, { tag: "Notes", summary: "List notes", answer: noContent, run: never });
const noteKind: NotificationKind = {
  kind: "note",
  label: "Notes",
  headline: "New note",
  counted: ["new note", "new notes"],
  audience: "subscribers",
};
class NoEntitySchema {
  readonly id = 0;
}

checks("no plugin, a plain one and the product's own are accepted", () => {
  checkPlugins([]);
  checkPlugins([plugin()]);
  checkPlugins([integratedBackend(), externalBackend(), plugin()]);
});

checks("a plugin may bring tables under the first word of its name", () => {
  checkPlugins([plugin({ name: "client-reports", entities: [] })]);
  checkPlugins([plugin({ name: "project-notes" })]);
});

const faults: [claim: string, plugins: Plugin[], sentence: string][] = [
  [
    "a name with capitals",
    [plugin({ name: "Extra" })],
    "plugin Extra: its name must be lower-case words joined by '-'",
  ],
  ["an empty name", [plugin({ name: "" })], "plugin : its name must be lower-case words"],
  ["a name that ends in a hyphen", [plugin({ name: "extra-" })], "plugin extra-: its name must be lower-case words"],
  ["a name twice", [plugin(), plugin()], "plugin extra: another plugin has the same name"],
  [
    "an older contract",
    [plugin({ contract: 0 })],
    `plugin extra: it was made for contract 0, but contract ${contractVersion} is required`,
  ],
  [
    "a newer contract",
    [plugin({ contract: contractVersion + 1 })],
    `plugin extra: it was made for contract ${contractVersion + 1}, but contract ${contractVersion} is required`,
  ],
  [
    "a table of the core",
    [plugin({ entities: [UserEntity] })],
    "plugin extra: its tables must begin with extra_, but it has user",
  ],
  [
    "an entity of another make",
    [plugin({ entities: [NoEntitySchema] })],
    "plugin extra: its tables must begin with extra_, but it has an entity that is not an EntitySchema",
  ],
  [
    "a backend twice",
    [integratedBackend(), plugin({ backend: integratedBackend().backend })],
    "plugin extra: plugin integrated-backend is the integrated backend already",
  ],
  [
    "a service twice",
    [plugin({ services: [ofNotes] }), plugin({ name: "other", services: [ofNotes] })],
    "plugin other: plugin extra serves NoteService already",
  ],
  [
    "a service with the name of one of the core",
    [plugin({ services: [{ ...ofNotes, service: { ...NoteService, name: "ErrorService" } }] })],
    "plugin extra: the service ErrorService is the core's",
  ],
  [
    "a route of the REST API twice, whatever its parts are called",
    [plugin({ rest: [noteAt("/notes/:id")] }), plugin({ name: "other", rest: [noteAt("/notes/:note_id")] })],
    "plugin other: plugin extra serves GET /notes/: already; plugin other: plugin extra has an operation listNotes already",
  ],
  [
    "a kind of notification twice",
    [plugin({ notifies: [noteKind] }), plugin({ name: "other", notifies: [noteKind] })],
    "plugin other: plugin extra announces note already",
  ],
  [
    "a kind of notification that breaks the form",
    [plugin({ notifies: [{ ...noteKind, kind: "New note", label: "" }] })],
    'plugin extra: the kind of notifications "New note" must have 2 to 40 lower-case letters and _; plugin extra: each of the words of the kind New note must have 1 to 60 characters',
  ],
  [
    "a queue twice",
    [plugin({ queue }), plugin({ name: "other", queue })],
    "plugin other: plugin extra is the queue already",
  ],
];

for (const [claim, plugins, sentence] of faults) {
  checks(`${claim} is refused in words`, () =>
    assert.match(
      refusalOf(() => checkPlugins(plugins)),
      sentence,
    ),
  );
}

checks("one sentence names all faults of all plugins", () => {
  const sentence = refusalOf(() =>
    checkPlugins([
      plugin({ name: "First", contract: 7, entities: [UserEntity, ProjectEntity] }),
      plugin({ name: "First", queue }),
      plugin({ name: "other", queue }),
    ]),
  );
  assert.is(sentence.split("; ").length, 7, sentence);
  for (const part of ["contract", "it has user", "it has project", "the same name", "the queue already"]) {
    assert.match(sentence, part);
  }
});

checks("services of plugins come after those of the schema, and none twice", () => {
  const schema = Object.values(services);
  const ofSchema = serve(DeprecationService, () => ({ listDeprecations: () => Promise.resolve({}) }));
  assert.equal(
    servicesWith([plugin({ services: [ofSchema, ofNotes] })]).map(({ typeName }) => typeName),
    [...schema.map(({ typeName }) => typeName), "notes.v1.NoteService"],
  );
});

checks("a service with two implementations does not start, and neither does a core that lacks one", () => {
  const ofNotesTwice = [ofNotes, ofNotes].map(({ service }) =>
    implementation(service, { addNote: never, listNotes: never }),
  );
  assert.throws(() => guardedServices(ofNotesTwice, walls), "service notes.v1.NoteService has two implementations.");
  const guarded = guardedServices(ofNotesTwice.slice(1), walls);
  assert.throws(() => coreOf(guarded), "service faultline.v1.AccountService is served by nobody.");
});

checks("backends are found by their kind", () => {
  const backends = backendsByKind([plugin(), externalBackend(), integratedBackend()]);
  assert.equal([...backends.keys()].toSorted(), [Backend.INTEGRATED, Backend.EXTERNAL]);
  for (const [kind, backend] of backends) assert.is(backend.kind, kind);
});

checks("a product that could not store events does not start", () => {
  assert.type(eventStore([externalBackend(), integratedBackend()]), "function");
  assert.match(
    refusalOf(() => eventStore([plugin(), externalBackend()])),
    "none of them stores events",
  );
});

function refusalOf(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    assert.instance(error, StartRefusal);
    return (error as StartRefusal).message;
  }
  return assert.unreachable("the plugins were accepted") as never;
}

checks.run();
