import type { Component, Schema, Words } from "@faultline/plugin/rest";

/** A schema in the document; a component is a `$ref`. */
export interface DocumentSchema extends Omit<
  Schema,
  "component" | "description" | "items" | "properties" | "additionalProperties" | "anyOf"
> {
  readonly $ref?: string;
  readonly description?: string;
  readonly items?: DocumentSchema;
  readonly properties?: Readonly<Record<string, DocumentSchema>>;
  readonly additionalProperties?: DocumentSchema | boolean;
  readonly anyOf?: readonly DocumentSchema[];
}

/**
 * Writes schemas for the document and collects the components they use. Descriptions are read from the proto files when
 * the document is first read.
 */
export class Components {
  readonly schemas: Record<string, DocumentSchema> = {};
  readonly #components = new Map<string, Component>();

  /** Writes a schema in the document's form. Throws if two components have the same name. */
  write({ component, description, items, properties, additionalProperties, anyOf, ...more }: Schema): DocumentSchema {
    if (component) {
      this.#add(component);
      return { $ref: `#/components/schemas/${component.name}` };
    }
    return described(description, {
      ...more,
      ...(items && { items: this.write(items) }),
      ...(properties && { properties: mapValues(properties, (schema) => this.write(schema)) }),
      ...(additionalProperties !== undefined && {
        additionalProperties:
          typeof additionalProperties === "boolean" ? additionalProperties : this.write(additionalProperties),
      }),
      ...(anyOf && { anyOf: anyOf.map((schema) => this.write(schema)) }),
    });
  }

  #add(component: Component): void {
    const { name, schema } = component;
    const known = this.#components.get(name);
    if (known === component) return;
    const written = this.write(schema);
    if (known && JSON.stringify(this.schemas[name]) !== JSON.stringify(written)) {
      throw new Error(`Two schemas of the REST API are called ${name}.`);
    }
    this.#components.set(name, component);
    this.schemas[name] = written;
  }
}

/** The part of the document with its description. */
export function described<Part extends object>(
  description: Words | undefined,
  part: Part,
): Part & { readonly description?: string } {
  if (description === undefined) return part;
  const get = () => (typeof description === "string" ? description : description());
  return Object.defineProperty(part, "description", { enumerable: true, get });
}

export function mapValues<Value, Result>(
  values: Readonly<Record<string, Value>>,
  to: (value: Value) => Result,
): Record<string, Result> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, to(value)]));
}
