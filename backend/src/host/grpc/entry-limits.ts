import type { DescField, DescMessage } from "@bufbuild/protobuf";
import { BinaryReader, WireType } from "@bufbuild/protobuf/wire";
import { invalidField } from "@faultline/plugin";

/** Entries of one list of a request, such as events. */
const maxListed = 1_000;

/**
 * All messages, map entries and list items of a request together. An empty message takes two bytes on the wire and 300
 * in memory; a full batch of 1,000 honest events holds 50,000 to 150,000.
 */
const maxEntries = 200_000;

const maxDepth = 32;

/**
 * Counts the entries in the bytes of a request, before it is parsed. Refuses a list of more than 1,000 entries, and a
 * request of more than 200,000 entries in all, with INVALID_FIELD.
 */
export function countEntries(schema: DescMessage, bytes: Uint8Array): number {
  return entriesIn(schema, new BinaryReader(bytes), { end: bytes.length, depth: 0, count: 0 });
}

interface Place {
  readonly end: number;
  readonly depth: number;
  readonly count: number;
}

/** The number of entries so far, including the message that ends at `end`. */
function entriesIn(schema: DescMessage, reader: BinaryReader, { end, depth, count }: Place): number {
  const fields = fieldsByNumber(schema);
  const listed = new Map<number, number>();
  let entries = count;
  while (reader.pos < end) {
    const [number, wireType] = reader.tag();
    const field = fields.get(number);
    const isBytes = wireType === WireType.LengthDelimited;
    const length = isBytes ? reader.uint32() : 0;
    const bodyEnd = reader.pos + length;
    if (bodyEnd > end) throw new Error("the message is cut off");
    const added =
      field === undefined ? 0 : isBytes && isPacked(field) ? valuesIn(reader, bodyEnd) : isEntry(field) ? 1 : 0;
    entries += added;
    if (depth === 0 && field && added > 0) {
      const inList = (listed.get(number) ?? 0) + added;
      listed.set(number, inList);
      if (field.fieldKind !== "message" && inList > maxListed) throw tooManyOf(field.name);
    }
    if (entries > maxEntries) {
      throw invalidField(
        field?.name ?? "",
        `A request has at most ${maxEntries.toLocaleString("en")} entries in all. Split it into several calls.`,
      );
    }
    const inner = field && isBytes ? messageOf(field) : undefined;
    if (inner && depth < maxDepth) {
      entries = entriesIn(inner, reader, { end: bodyEnd, depth: depth + 1, count: entries });
    } else if (inner) {
      throw invalidField(field?.name ?? "", `A request has at most ${maxDepth} levels.`);
    } else if (isBytes) {
      reader.pos = bodyEnd;
    } else {
      reader.skip(wireType, number);
    }
  }
  return entries;
}

function tooManyOf(name: string) {
  return invalidField(
    name,
    `A call accepts at most ${maxListed.toLocaleString("en")} of them. Send the rest in other calls.`,
  );
}

/** Whether a field becomes separate objects or items when it is parsed. */
const isEntry = ({ fieldKind }: DescField) => fieldKind !== "scalar" && fieldKind !== "enum";

const isPacked = (field: DescField) => field.fieldKind === "list" && field.packed;

function messageOf(field: DescField): DescMessage | undefined {
  return field.fieldKind === "message" || field.fieldKind === "list" ? field.message : undefined;
}

/** The most numbers that a packed list can hold: each takes a byte or more. */
function valuesIn(reader: BinaryReader, end: number): number {
  return end - reader.pos;
}

const known = new WeakMap<DescMessage, ReadonlyMap<number, DescField>>();

function fieldsByNumber(schema: DescMessage): ReadonlyMap<number, DescField> {
  const found = known.get(schema);
  if (found) return found;
  const fields = new Map(schema.fields.map((field) => [field.number, field]));
  known.set(schema, fields);
  return fields;
}
