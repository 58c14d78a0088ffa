import type { World } from "./world.ts";

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly schema: object;
}

type Operation = Readonly<Record<string, unknown>> & {
  readonly operationId: string;
  readonly parameters: readonly Parameter[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: BodySchema }>> };
};

interface BodySchema {
  readonly properties: Readonly<Record<string, object>>;
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}

/**
 * The document with values in its paths, and in some bodies, that name something that exists or does not. Without them
 * a fuzzer finds no id, or finds the one it should not: the id of its own token.
 */
export function namedDocument(document: unknown, { named, spare, inBodies }: World): object {
  const known = document as Document; // its form is what test/unit/openapi.test.ts asserts
  return {
    ...known,
    paths: mapValues(known.paths, (item) =>
      mapValues(item, (operation) => ({
        ...operation,
        parameters: operation.parameters.map((parameter) => {
          const ids = spare[operation.operationId]?.[parameter.name] ?? named[parameter.name];
          if (parameter.in !== "path" || !ids) return parameter;
          return { ...parameter, schema: { type: "string", enum: [...ids.map(String), "999999999", "none"] } };
        }),
        ...(operation.requestBody && {
          requestBody: {
            ...operation.requestBody,
            content: mapValues(operation.requestBody.content, ({ schema }) => ({
              schema: {
                ...schema,
                properties: mapValues(schema.properties, (field, name) => {
                  const ids = inBodies[operation.operationId]?.[name];
                  return ids ? { ...field, enum: ids } : field;
                }),
              },
            })),
          },
        }),
      })),
    ),
  };
}

function mapValues<From, To>(
  table: Readonly<Record<string, From>>,
  change: (value: From, key: string) => To,
): Record<string, To> {
  return Object.fromEntries(Object.entries(table).map(([key, value]) => [key, change(value, key)]));
}
