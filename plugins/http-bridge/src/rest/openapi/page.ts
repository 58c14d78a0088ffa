import { LoopSlices } from "@faultline/plugin/flow";
import mustache from "mustache";
import type { OpenApiDocument } from "./document.ts";
import type { DocumentSchema } from "./document-schema.ts";
import type { OperationObject, ParameterObject } from "./operation-object.ts";
import { operationTemplate, pageStyle, pageTemplate, partials, schemaTemplate } from "./page-template.ts";
import { refusals, type ResponseObject } from "./responses.ts";

/**
 * Renders the document as a page for people. `origin` is the beginning of addresses. The page takes 50 ms of the event
 * loop, in small steps.
 */
export async function documentPage(document: OpenApiDocument, origin: string): Promise<string> {
  const { info, tags, paths, components } = document;
  const base = document.servers[0].url;
  const shared = {
    base,
    // The text is escaped when it is rendered, so backticks are the only remaining markup.
    prose: () => (text: string, render: (text: string) => string) =>
      render(text).replace(/`([^`]+)`/g, "<code>$1</code>"),
  };
  const slices = new LoopSlices();
  const render = async (template: string, view: object) => {
    await slices.next();
    return mustache.render(template, { ...shared, ...view }, partials, { escape });
  };
  const renderAll = async (template: string, views: readonly object[]) => {
    const texts: string[] = [];
    for (const view of views) texts.push(await render(template, view));
    return texts.join("");
  };
  const operations = Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([verb, operation]) => ({ verb: verb.toUpperCase(), path, operation })),
  );
  const sections = tags.map(({ name }) => ({
    name,
    anchor: name.toLowerCase().replaceAll(" ", "-"),
    operations: operations.filter(({ operation }) => operation.tags[0] === name),
  }));
  return render(pageTemplate, {
    title: info.title,
    description: info.description,
    style: pageStyle,
    schemes: Object.values(components.securitySchemes),
    refusals: Object.entries(refusals).map(([status, name]) => ({
      status,
      name,
      ...answerView(components.responses[name]),
    })),
    sections: await Promise.all(
      sections.map(async ({ operations: own, ...section }) => ({
        ...section,
        operations: own.map(({ operation: { operationId: id, summary } }) => ({ id, summary })),
        text: await renderAll(
          operationTemplate,
          own.map(({ verb, path, operation }) => operationView(verb, path, operation, `${origin}${base}${path}`)),
        ),
      })),
    ),
    schemas: await renderAll(
      schemaTemplate,
      Object.entries(components.schemas).map(([name, schema]) => ({
        name,
        description: schema.description ?? "",
        fields: fieldsOf(schema),
      })),
    ),
  });
}

const escape = (text: unknown) => String(text).replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);

function operationView(verb: string, path: string, operation: OperationObject, address: string) {
  const { operationId: id, summary, description, parameters, requestBody, responses } = operation;
  return {
    id,
    summary,
    description,
    verb,
    path,
    hasParameters: parameters.length > 0,
    parameters: parameters.map(parameterView),
    body: requestBody ? { fields: fieldsOf(Object.values(requestBody.content)[0]?.schema ?? {}) } : false,
    answers: Object.entries(responses).map(([status, answer]) =>
      "$ref" in answer ? { status, refusal: lastPart(answer.$ref) } : { status, refusal: "", ...answerView(answer) },
    ),
    curl: curl(verb, address, operation),
  };
}

function parameterView({ name, in: place, required, description, schema, deprecated }: ParameterObject) {
  const words = [kindOf(schema), place, required ? "required" : "", deprecated === true ? "deprecated" : ""];
  return { name, description, words: words.filter(Boolean).join(", ") };
}

function answerView({ description, content }: ResponseObject) {
  const schema = Object.values(content ?? {})[0]?.schema;
  return { description, kinds: schema ? linkedKind(schema) : [] };
}

interface FieldView {
  readonly name: string;
  readonly description: string;
  readonly kinds: readonly Kind[];
  /** The fields of the field's own object. */
  readonly inner: { readonly fields: readonly FieldView[] } | false;
}

function fieldsOf({ properties = {}, required = [] }: DocumentSchema): readonly FieldView[] {
  return Object.entries(properties).map(([name, schema]) => ({
    name,
    description: schema.description ?? "",
    kinds: [...linkedKind(schema), ...(required.includes(name) ? [] : plain(", may be absent"))],
    inner: schema.properties ? { fields: fieldsOf(schema) } : false,
  }));
}

/** Words about a type, or the name of a body. */
interface Kind {
  readonly text: string;
  readonly link: string;
}

const plain = (text: string): readonly Kind[] => [{ text, link: "" }];

/** The type of a value in words, with links to the bodies it names. */
function linkedKind(schema: DocumentSchema): readonly Kind[] {
  const { $ref, anyOf, items } = schema;
  if ($ref !== undefined) return [{ text: "", link: lastPart($ref) }];
  if (anyOf) return anyOf.flatMap((one, n) => [...(n === 0 ? [] : plain(" or ")), ...linkedKind(one)]);
  if (items) return [...plain("list of "), ...linkedKind(items)];
  return plain(kindOf(schema));
}

function kindOf({ type, format, enum: choices, const: only, default: otherwise, maxLength }: DocumentSchema): string {
  const names = [type ?? "anything"].flat().join(" or ");
  const words = [
    format === undefined ? names : `${names} (${format})`,
    choices && `one of ${choices.join(", ")}`,
    only !== undefined && `always ${only}`,
    maxLength !== undefined && `at most ${maxLength} characters`,
    otherwise !== undefined && `default ${otherwise}`,
  ];
  return words.filter((word) => typeof word === "string").join(", ");
}

/** A call as a shell command. */
function curl(verb: string, address: string, { parameters, requestBody }: OperationObject): string {
  const query = parameters.filter(({ in: place, required }) => place === "query" && required);
  const asked = query.map(({ name }) => `${name}=<${name}>`).join("&");
  const url = address.replace(/\{(\w+)\}/g, (_, name: string) => `<${name}>`) + (asked && `?${asked}`);
  const json = requestBody?.content["application/json"]?.schema;
  const fields = json && exampleOf(json);
  return [
    "curl",
    verb === "GET" ? "" : `--request ${verb}`,
    `--header "PRIVATE-TOKEN: <token>"`,
    fields ? `--header "Content-Type: application/json" --data '${JSON.stringify(fields)}'` : "",
    `"${url}"`,
  ]
    .filter((word) => word !== "")
    .join(" ");
}

/** A valid value: the required fields of an object, and the first of several alternative sets. */
function exampleOf(schema: DocumentSchema = {}, nameOf = ""): unknown {
  const { examples, enum: choices, const: only, type, anyOf, items, properties, required = [], minimum } = schema;
  if (properties) {
    const names = new Set([...required, ...(anyOf?.[0]?.required ?? [])]);
    return Object.fromEntries([...names].map((name) => [name, exampleOf(properties[name], name)]));
  }
  const [named] = [...(examples ?? []), ...(choices ?? []), ...(only === undefined ? [] : [only])];
  if (named !== undefined) return named;
  if (anyOf) return exampleOf(anyOf[0]);
  if (schema.format === "date-time") return `<${nameOf}>`; // like in addresses: the value depends on the day
  const [kind] = [type ?? "string"].flat();
  if (kind === "boolean") return true;
  if (kind === "integer" || kind === "number") return Math.max(minimum ?? 1, 1);
  if (kind === "array") return [exampleOf(items)];
  return kind === "object" ? {} : "example";
}

const lastPart = (reference: string) => reference.slice(reference.lastIndexOf("/") + 1);
