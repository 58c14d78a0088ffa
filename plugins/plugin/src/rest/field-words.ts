import type { DescEnum, DescEnumValue, DescField } from "@bufbuild/protobuf";
import { wordOf as wordOfNumber, words } from "@faultline/proto";
import { commentOf } from "@faultline/proto/comments";
import type { Words } from "./schema.ts";

/** The REST word for a value of an enum: `resolved` for `ERROR_STATUS_RESOLVED`. */
export const wordOf = ({ parent, number, localName }: DescEnumValue): string =>
  wordOfNumber(parent, number) ?? localName.toLowerCase();

/** The values of an enum by their REST words. `UNSPECIFIED` has no word. */
export const wordsOf = (desc: DescEnum): Readonly<Record<string, number>> => words(desc);

/** The name of a field in REST: the name in the proto file, except that times end in `_at`, `_since` or `_until`. */
export const restName = ({ name }: DescField): string =>
  name.replace(/_time$/, /(^|_)(since|until)_time$/.test(name) ? "" : "_at");

/**
 * The description of a REST field: its comment in the proto file, in REST words. `names` maps the fields of the message
 * to their REST names. `empty` is the word for a value that is empty, absent, unspecified or 0 in the core.
 */
export function wordsOfField(
  field: DescField,
  {
    names,
    empty,
    words: byWord = field.enum && wordsOf(field.enum),
  }: {
    readonly names: Readonly<Record<string, string>>;
    readonly empty?: "Null" | "Omitted" | undefined;
    readonly words?: Readonly<Record<string, number>> | undefined;
  },
): Words {
  return () => {
    const comment = commentOf(field)
      .replace(/ \(specification [^)]*\)/g, "") // the core's specification, which REST readers do not have
      .replace(/(?<![\w.])[a-z]+(?:_[a-z]+)+(?![\w.]*\w)/g, (name) =>
        names[name] === undefined || names[name] === name ? name : `\`${names[name]}\``,
      )
      .replace(/\b[A-Z]+(?:_[A-Z]+)+\b/g, (name) => {
        const value = field.parent.fields.flatMap((one) => one.enum?.values ?? []).find((one) => one.name === name);
        return value ? `\`${wordOf(value)}\`` : name;
      });
    return [empty === undefined ? comment : withEmpty(comment, empty), ...meaningsOf(field, byWord)].join(" ");
  };
}

/** The meaning of each word of an enum. */
function meaningsOf(field: DescField, byWord: Readonly<Record<string, number>> = {}): readonly string[] {
  return Object.entries(byWord).flatMap(([word, number]) => {
    const value = field.enum?.values.find((one) => one.number === number && number !== 0);
    const meaning = value ? commentOf(value) : "";
    return meaning === "" ? [] : [`\`${word}\`: ${meaning}`];
  });
}

function withEmpty(comment: string, empty: "Null" | "Omitted"): string {
  const replaced = comment.replace(/\b(?:Empty|Absent|Unspecified|0)(?=: | if | once | while | where | for )/, empty);
  if (empty === "Omitted") return replaced.replace(/ Required\.$/, "");
  return replaced.replace(/([;,]) empty(?=: | for )/, "$1 null").replace(/\bMay be empty\./, "Null if there is none.");
}
