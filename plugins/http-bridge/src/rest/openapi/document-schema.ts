import type { Schema } from "@faultline/plugin/rest";

/** A schema as it stands in the document: a component is a `$ref`. */
export interface DocumentSchema extends Omit<
  Schema,
  "component" | "items" | "properties" | "additionalProperties" | "anyOf"
> {
  readonly $ref?: string;
  readonly items?: DocumentSchema;
  readonly properties?: Readonly<Record<string, DocumentSchema>>;
  readonly additionalProperties?: DocumentSchema | boolean;
  readonly anyOf?: readonly DocumentSchema[];
}

/** Writes schemas for the document and collects the components they use. */
export class Components {
  readonly schemas: Record<string, DocumentSchema> = {};

  /** The schema as it stands in the document. Throws where two components have one name. */
  write({ component, items, properties, additionalProperties, anyOf, ...more }: Schema): DocumentSchema {
    if (component) {
      this.#add(component.name, component.schema);
      return { $ref: `#/components/schemas/${component.name}` };
    }
    return {
      ...more,
      ...(items && { items: this.write(items) }),
      ...(properties && { properties: mapValues(properties, (schema) => this.write(schema)) }),
      ...(additionalProperties !== undefined && {
        additionalProperties:
          typeof additionalProperties === "boolean" ? additionalProperties : this.write(additionalProperties),
      }),
      ...(anyOf && { anyOf: anyOf.map((schema) => this.write(schema)) }),
    };
  }

  #add(name: string, schema: Schema): void {
    const written = this.write(schema);
    const before = this.schemas[name];
    if (before && JSON.stringify(before) !== JSON.stringify(written)) {
      throw new Error(`Two schemas of the REST API are called ${name}.`);
    }
    this.schemas[name] = written;
  }
}

export function mapValues<Value, Result>(
  values: Readonly<Record<string, Value>>,
  to: (value: Value) => Result,
): Record<string, Result> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, to(value)]));
}
