import { create, type DescField, type DescMessage, type DescMethod, type MessageShape } from "@bufbuild/protobuf";
import {
  DeleteDeadLettersRequestSchema,
  DeleteDeadLettersResponseSchema,
  InstanceService,
  MemberService,
  AddMemberRequestSchema,
  AddMemberResponseSchema,
  Role,
  services,
  UpdateQuotaRequestSchema,
  UpdateQuotaResponseSchema,
  QuotaService,
  UpdateUserRequestSchema,
  UpdateUserResponseSchema,
  UserService,
} from "@faultline/proto";
import mustache from "mustache";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { partials, sentence, templateOf } from "../../backend/src/services/audit/sentence.ts";

const audit = suite("sentences of the audit log");

const methods: readonly DescMethod[] = Object.values(services).flatMap((service) => service.methods);
const recorded = methods.flatMap((method) => {
  const template = templateOf(method);
  return template === undefined ? [] : [{ method, template, name: `${method.parent.name}.${method.name}` }];
});

audit("methods that only read have no sentence, and a method that says nothing is refused", () => {
  assert.is(templateOf(services.errors.method.listErrors), undefined);
  const silent = { ...services.errors.method.updateErrors, proto: {} } as unknown as DescMethod;
  assert.throws(() => templateOf(silent), /must have one of three options/);
});

for (const { method, template, name } of recorded) {
  audit(`${name} is one sentence, also of an empty call`, () => {
    const text = sentence(method, template, create(method.input), create(method.output));
    if (template.startsWith("{{#"))
      assert.is(text, ""); // only some calls are recorded
    else assert.match(text, /^[A-Z].*\.$/);
    assert.not.match(text, /\[object|undefined|\{/);
  });
  audit(`the sentence of ${name} names fields that exist`, () => {
    const top = [...method.input.fields, ...method.output.fields];
    assert.equal(missing(mustache.parse(template), [top]), []);
  });
}

type Token = readonly [kind: string, name: string, start: number, end: number, inner?: readonly Token[]];
type Fields = readonly DescField[];

/** The names in a template that are no fields of the message that surrounds them, nor of one further out. */
function missing(tokens: readonly unknown[], around: readonly Fields[]): string[] {
  return (tokens as readonly Token[]).flatMap(([kind, name, , , inner = []]) => {
    if (kind === "text") return [];
    if (kind === ">") return missing(mustache.parse(partials[name as keyof typeof partials]), around);
    const found = fieldOf(name, around);
    const unknown = (found ?? name === "changes") ? [] : [name];
    const message = found && "message" in found ? found.message : undefined;
    return [...unknown, ...missing(inner, message ? [message.fields, ...around] : around)];
  });
}

function fieldOf(path: string, around: readonly Fields[]): DescField | undefined {
  const [first = "", ...rest] = path.split(".");
  const named = (fields: Fields) => fields.find(({ name }) => name === first || `${name}_is_one` === first);
  const found = around.map(named).find((field) => field !== undefined);
  const inner: DescMessage | undefined = found && "message" in found ? found.message : undefined;
  return rest.length === 0 ? found : inner && fieldOf(rest.join("."), [inner.fields]);
}

const sentenceFor = (method: DescMethod, request: MessageShape<DescMessage>, response: MessageShape<DescMessage>) =>
  sentence(method, templateOf(method) ?? "", request, response);

audit("a user's name stands as it is, and switches have words for both", () => {
  const user = { userId: 7, username: '<b>"bob"</b>' };
  const request = create(UpdateUserRequestSchema, { userId: 7, name: "", isAdmin: false, isBlocked: true });
  assert.is(
    sentenceFor(UserService.method.updateUser, request, create(UpdateUserResponseSchema, { user })),
    'Changed the user <b>"bob"</b> (7): name, made a normal user, blocked.',
  );
});

audit("a limit stands with its value, none and the default in words", () => {
  const quota = { projectId: 3, projectPath: "acme/shop" };
  const response = create(UpdateQuotaResponseSchema, { quota });
  const sentenceOf = (request: Parameters<typeof create<typeof UpdateQuotaRequestSchema>>[1]) =>
    sentenceFor(QuotaService.method.updateQuota, create(UpdateQuotaRequestSchema, request), response);
  assert.is(
    sentenceOf({ dayLimitBytes: 5n, keptLimitBytes: 0n }),
    "Changed the limits of acme/shop (3): bytes a day 5, bytes kept without a limit.",
  );
  assert.is(
    sentenceOf({ useDefaultDayLimit: true }),
    "Changed the limits of acme/shop (3): bytes a day as by default.",
  );
});

audit("one is singular", () => {
  const sentenceOf = (deletedCount: bigint) =>
    sentenceFor(
      InstanceService.method.deleteDeadLetters,
      create(DeleteDeadLettersRequestSchema),
      create(DeleteDeadLettersResponseSchema, { deletedCount }),
    );
  assert.equal([0n, 1n, 2n].map(sentenceOf), [
    "Deleted 0 dead letters.",
    "Deleted 1 dead letter.",
    "Deleted 2 dead letters.",
  ]);
});

audit("a member has the name of its custom role, otherwise that of its role", () => {
  const sentenceOf = (memberRole?: { name: string }) =>
    sentenceFor(
      MemberService.method.addMember,
      create(AddMemberRequestSchema),
      create(AddMemberResponseSchema, {
        member: { user: { userId: 7, username: "bob" }, role: Role.DEVELOPER, ...(memberRole && { memberRole }) },
      }),
    );
  assert.is(sentenceOf(), "Added bob (7) as Developer.");
  assert.is(sentenceOf({ name: "Triage" }), 'Added bob (7) as "Triage".');
});

audit.run();
