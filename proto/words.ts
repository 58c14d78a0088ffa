import { getOption, hasOption, type DescEnum, type EnumShape } from "@bufbuild/protobuf";
import { word } from "./gen/faultline/v1/role_pb.ts";

/**
 * The values of an enum by the words that REST, searches and the command line have for them, in the order of the proto file. The
 * word of a value is its name in lower case, or its option `word`; UNSPECIFIED has one only by the option, or as `unspecified`,
 * where a filter means all values by it.
 */
export function words<D extends DescEnum>(desc: D, unspecified?: string): Readonly<Record<string, EnumShape<D>>> {
  const all = [...wordsByNumber(desc)].map(([number, name]) => [name, number] as const);
  return Object.fromEntries(unspecified === undefined ? all : [...all, [unspecified, 0] as const]) as Record<
    string,
    EnumShape<D>
  >; // the numbers are the enum's
}

/** The word of a value; undefined for UNSPECIFIED without the option, and for a number that is not a value. */
export const wordOf = (desc: DescEnum, value: number): string | undefined => wordsByNumber(desc).get(value);

const known = new Map<DescEnum, ReadonlyMap<number, string>>();

function wordsByNumber(desc: DescEnum): ReadonlyMap<number, string> {
  const before = known.get(desc);
  if (before) return before;
  const named = desc.values.filter((value) => value.number !== 0 || hasOption(value, word));
  const found = new Map(
    named.map((value) => [value.number, getOption(value, word) || value.localName.toLowerCase()] as const),
  );
  known.set(desc, found);
  return found;
}
