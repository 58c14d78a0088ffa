import type { OpenApiDocument } from "./document.ts";
import type { DocumentSchema } from "./document-schema.ts";
import { Html, markup, prose } from "./html.ts";
import type { OperationObject, ParameterObject } from "./operation-object.ts";
import { pageStyle } from "./page-style.ts";
import { refusals, type ResponseObject } from "./responses.ts";

interface Listed {
  /** The prefix of the document's paths, such as `/api/v4`. */
  readonly base: string;
  readonly verb: string;
  readonly path: string;
  readonly operation: OperationObject;
}

/** The document as a page for people. `origin` is the beginning of addresses. */
export function documentPage(document: OpenApiDocument, origin: string): string {
  const { info, tags, paths, components } = document;
  const base = document.servers[0].url;
  const operations: readonly Listed[] = Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([verb, operation]) => ({ base, verb: verb.toUpperCase(), path, operation })),
  );
  const below = (tag: string) => operations.filter(({ operation }) => operation.tags[0] === tag);
  const schemes = Object.values(components.securitySchemes);
  return markup`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${info.title}</title>
        <style>${new Html(pageStyle)}</style>
      </head>
      <body>
        <header>
          <h1>${info.title}</h1>
          <p>${prose(info.description)}</p>
          <p>For programs, the same as OpenAPI: <a href="${base}/openapi.json">${base}/openapi.json</a></p>
        </header>
        <main>
          <h2 id="token">Token</h2>
          <ul>
            ${schemes.map(({ description }) => markup`<li>${prose(description)}</li>`)}
          </ul>
          <p>${prose("The query takes no token, because addresses are logged.")}</p>
          <h2 id="refusals">Refusals</h2>
          <p>${prose("A refusal has `reason`, a word that stays the same, and one of two forms for people, as in GitLab: `message` or `error`.")}</p>
          <ul>
            ${Object.entries(refusals).map(([status, name]) => refusalItem(status, name, components.responses[name]))}
          </ul>
          <nav aria-label="Operations">
            <h2 id="operations">Operations</h2>
            <ul>
              ${tags.map(({ name }) => tagLinks(name, below(name)))}
            </ul>
          </nav>
          ${tags.map(({ name }) => section(name, below(name), origin))}
          <h2 id="schemas">Bodies</h2>
          ${Object.entries(components.schemas).map(([name, schema]) => schemaSection(name, schema))}
        </main>
      </body>
    </html>`.text;
}

function tagLinks(name: string, operations: readonly Listed[]): Html {
  const links = operations.map(
    ({ operation }) => markup`<li><a href="#${operation.operationId}">${operation.summary}</a></li>`,
  );
  return markup`<li>
    <a href="#${anchor(name)}">${name}</a>
    <ul>
      ${links}
    </ul>
  </li>`;
}

function section(name: string, operations: readonly Listed[], origin: string): Html {
  return markup`<h2 id="${anchor(name)}">${name}</h2>
    ${operations.map((listed) => operationSection(listed, origin))}`;
}

function operationSection({ base, verb, path, operation }: Listed, origin: string): Html {
  const { operationId, summary, description, parameters, requestBody, responses: answers } = operation;
  return markup`<section id="${operationId}">
    <h3><a href="#${operationId}">${summary}</a></h3>
    <p><code><strong>${verb}</strong> ${base}${path}</code></p>
    <p>${prose(description)}</p>
    ${
      parameters.length > 0
        ? markup`<h4>Parameters</h4>
            <dl>${parameters.map(parameterItem)}</dl>`
        : ""
    }
    ${
      requestBody
        ? markup`<h4>Body</h4>
            ${fieldsOf(Object.values(requestBody.content)[0]?.schema ?? {})}`
        : ""
    }
    <h4>Answers</h4>
    <ul>
      ${Object.entries(answers).map(([status, answer]) => answerItem(status, answer))}
    </ul>
    <pre>${curl(verb, `${origin}${base}${path}`, operation)}</pre>
  </section>`;
}

function parameterItem({ name, in: place, required, description, schema, deprecated }: ParameterObject): Html {
  const words = [kindOf(schema), place, required ? "required" : "", deprecated === true ? "deprecated" : ""];
  return markup`<dt><code>${name}</code> <span class="kind">${words.filter(Boolean).join(", ")}</span></dt>
    <dd>${prose(description)}</dd>`;
}

function answerItem(status: string, answer: ResponseObject | { readonly $ref: string }): Html {
  if ("$ref" in answer)
    return markup`<li>${status}: <a href="#${lastPart(answer.$ref)}">${lastPart(answer.$ref)}</a></li>`;
  return markup`<li>${status}: ${prose(answer.description)} ${answered(answer)}</li>`;
}

function refusalItem(status: string, name: string, answer: ResponseObject): Html {
  return markup`<li id="${name}">${status} ${name}: ${prose(answer.description)} ${answered(answer)}</li>`;
}

/** The body of an answer, in words. */
function answered({ content }: ResponseObject): Html {
  const schema = Object.values(content ?? {})[0]?.schema;
  return schema ? markup`<span class="kind">${linkedKind(schema)}</span>` : markup``;
}

function schemaSection(name: string, schema: DocumentSchema): Html {
  return markup`<section id="schema-${name}">
    <h3><a href="#schema-${name}">${name}</a></h3>
    <p>${prose(schema.description ?? "")}</p>
    ${fieldsOf(schema)}
  </section>`;
}

function fieldsOf({ properties = {}, required = [] }: DocumentSchema): Html {
  const items = Object.entries(properties).map(
    ([name, schema]) =>
      markup`<dt>
          <code>${name}</code>
          <span class="kind">${linkedKind(schema)}${required.includes(name) ? "" : ", may be absent"}</span>
        </dt>
        <dd>${prose(schema.description ?? "")}${schema.properties ? fieldsOf(schema) : ""}</dd>`,
  );
  return markup`<dl>${items}</dl>`;
}

/** The type of a value in words, with links to the bodies it names. */
function linkedKind(schema: DocumentSchema): Html {
  const { $ref, anyOf, items } = schema;
  if ($ref !== undefined) return markup`<a href="#schema-${lastPart($ref)}">${lastPart($ref)}</a>`;
  if (anyOf) return markup`${linkedKind(anyOf[0] ?? {})}${anyOf.slice(1).map((one) => markup` or ${linkedKind(one)}`)}`;
  if (items) return markup`list of ${linkedKind(items)}`;
  return markup`${kindOf(schema)}`;
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

/** A call as one types it in a shell. */
function curl(verb: string, address: string, { requestBody }: OperationObject): string {
  const url = address.replace(/\{(\w+)\}/g, (_, name: string) => `<${name}>`);
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

/** A value that fits: of an object what a call must give, and where it must give one of several sets the first one. */
function exampleOf(schema: DocumentSchema = {}, nameOf = ""): unknown {
  const { examples, enum: choices, const: only, type, anyOf, items, properties, required = [], minimum } = schema;
  if (properties) {
    const names = new Set([...required, ...(anyOf?.[0]?.required ?? [])]);
    return Object.fromEntries([...names].map((name) => [name, exampleOf(properties[name], name)]));
  }
  const [named] = [...(examples ?? []), ...(choices ?? []), ...(only === undefined ? [] : [only])];
  if (named !== undefined) return named;
  if (anyOf) return exampleOf(anyOf[0]);
  if (schema.format === "date-time") return `<${nameOf}>`; // as in addresses: its value depends on the day
  const [kind] = [type ?? "string"].flat();
  if (kind === "boolean") return true;
  if (kind === "integer" || kind === "number") return Math.max(minimum ?? 1, 1);
  if (kind === "array") return [exampleOf(items)];
  return kind === "object" ? {} : "example";
}

const lastPart = (reference: string) => reference.slice(reference.lastIndexOf("/") + 1);
const anchor = (tag: string) => tag.toLowerCase().replaceAll(" ", "-");
