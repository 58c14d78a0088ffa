import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { ErrorReason, ExternalProjectSchema } from "@faultline/proto";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { externalProjectColumns, noExternalProject } from "../../backend/src/services/projects/external-project.ts";
import { refusal } from "../support/assert/refusal.ts";

const projects = suite("external project");

type Init = MessageInitShape<typeof ExternalProjectSchema>;
const columns = (init: Init) => externalProjectColumns(create(ExternalProjectSchema, init));
const web = { id: "42", slug: "web", name: "Web", organizationSlug: "acme", organizationName: "Acme" };

projects("its id, slugs and names are stored as they are", () => {
  assert.equal(columns(web), {
    externalProjectId: "42",
    externalProjectSlug: "web",
    externalProjectName: "Web",
    externalOrganizationSlug: "acme",
    externalOrganizationName: "Acme",
  });
});

const taken: [what: string, change: Init][] = [
  ["an id that is not known", { id: "" }],
  ["an id of 20 digits", { id: "9".repeat(20) }],
  ["slugs as Faultline makes them of paths", { slug: "team~web", organizationSlug: "-" }],
  ["a slug of 255 characters", { slug: "x".repeat(255) }],
  ["a slug that begins with dots", { slug: "..web" }],
  ["names of 255 characters in any writing", { name: "日".repeat(255), organizationName: "<b>Acme & Söhne</b>" }],
];
for (const [what, change] of taken) projects(`${what} is taken`, () => void columns({ ...web, ...change }));

projects("without id and slugs there is none", () => {
  assert.equal(columns({ name: "Web" }), noExternalProject);
});

const refused: [what: string, change: Init][] = [
  ["an id with a slash", { id: "1/../2" }],
  ["an id of 21 digits", { id: "9".repeat(21) }],
  ["an id of Arabic digits", { id: "٤٢" }],
  ["no slug", { slug: "" }],
  ["no slug of the organization", { organizationSlug: "" }],
  ["the slug ..", { slug: ".." }],
  ["the slug . of the organization", { organizationSlug: "." }],
  ["a slug with a slash", { slug: "a/b" }],
  ["a slug with a query", { slug: "a?b" }],
  ["a slug with a percent sign", { slug: "%2e%2e" }],
  ["a slug with a line break at its end", { slug: "web\n" }],
  ["a slug of 256 characters", { organizationSlug: "x".repeat(256) }],
  ["a slug with a letter that is not ASCII", { slug: "wéb" }],
  ["a name of 256 characters", { name: "x".repeat(256) }],
  ["a name with a line break", { name: "a\nb" }],
  ["a name with an escape", { organizationName: "\u001b[31mred" }],
];
for (const [what, change] of refused) {
  projects(`${what} is refused`, () => {
    const { reason, field } = refusal(() => columns({ ...web, ...change }));
    assert.is(reason, ErrorReason.INVALID_FIELD);
    assert.is(field, "external_project");
  });
}

projects.run();
