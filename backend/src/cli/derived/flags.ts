import { readFileSync } from "node:fs";
import { textOfWords, type Parameter, type Schema } from "@faultline/plugin/rest";
import { InvalidArgumentError, Option, type Command } from "commander";
import { flagOf, type Spelling } from "./names.ts";

/** Reads a parameter from the options of a command; undefined: it was not given. */
export type ReadFlag = (options: Readonly<Record<string, unknown>>) => unknown;

/**
 * Adds the flags that set a parameter. Secrets are read from files, because other programs of the machine can read the
 * arguments of a command. `spelled`: flags that have other names.
 */
export function addFlags(
  command: Command,
  name: string,
  { schema, isRequired = false }: Parameter<unknown>,
  spelled: Spelling["flags"],
): ReadFlag {
  const description = textOfWords(schema.description);
  const add = (flags: string, text = description) => {
    const option = new Option(flags, text);
    command.addOption(option);
    return option;
  };
  const own = spelled.filter((one) => one.name === name);
  if (own.some(({ value }) => value !== undefined)) {
    const values = own.map(({ flag, value }) => [add(flag, `Set ${name} to ${value}`), value] as const);
    for (const [option] of values)
      option.conflicts(values.map(([one]) => one.attributeName()).filter((one) => one !== option.attributeName()));
    return (options) => values.find(([option]) => options[option.attributeName()] === true)?.[1];
  }
  const flag = own[0]?.flag ?? flagOf(name);
  if (schema.type === "boolean") {
    const opposite = flag.replace("--", "--no-");
    const option = add(
      schema.default === true ? opposite : flag,
      description.replace(/^False: (\w)/, (_, letter: string) => letter.toUpperCase()),
    );
    if (schema.default === undefined) add(opposite, `The opposite of ${flag}`);
    return (options) => options[option.attributeName()];
  }
  if (schema.additionalProperties !== undefined) return addFields(add, flag.replace(/s$/, ""));
  if (/(^|_)(password|token|secret|dsn)$/.test(name)) {
    const option = add(`${flag}-file <file>`, `${description} Read from a file; - is standard input`).argParser(fileAt);
    return (options) => options[option.attributeName()];
  }
  const option = add(`${flag} <${placeholderOf(schema)}>`).makeOptionMandatory(isRequired);
  const words = wordsOf(schema);
  if (words.length > 0) chooseOf(option, words);
  if (schema.default !== undefined) option.default(String(schema.default));
  return (options) => valueOf(schema, options[option.attributeName()] as string | undefined);
}

/** Earlier spellings of words. */
const oldWords: Readonly<Record<string, string>> = { events: "frequency" };

/** Lets an option or argument have one of the words alone. */
export function chooseOf(option: Option, words: readonly string[]): void {
  const { parseArg } = option.choices(words);
  const isOld = (text: string) => !words.includes(text) && words.includes(oldWords[text] ?? "");
  option.argParser((text: string, before: unknown) =>
    parseArg?.(isOld(text) ? (oldWords[text] ?? text) : text, before),
  );
}

/** The words that a value has to be one of; none: it is free. */
export const wordsOf = ({ enum: words = [] }: Schema): string[] => words.filter((word) => typeof word === "string");

const placeholderOf = ({ type, items, format }: Schema): string => {
  if (format === "date-time" || format === "date") return format === "date" ? "day" : "time";
  if (type === "object" || items?.type === "object") return "json";
  return type === "integer" ? "number" : type === "array" ? "values" : "value";
};

/** The value of a text in the form that the parameter takes: lists are joined by commas, objects are JSON. */
export function valueOf(schema: Schema, text: string | undefined): unknown {
  if (text === undefined) return undefined;
  if (schema.type === "object" || schema.items?.type === "object") return jsonIn(text);
  return schema.type === "array" ? text.split(",").filter((one) => one !== "") : text;
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new InvalidArgumentError(`This is not JSON: ${text}`);
  }
}

type Fields = Readonly<Record<string, string>>;

function addFields(add: (flags: string, text: string) => Option, flag: string): ReadFlag {
  const given = add(`${flag} <key=value>`, "A field that is not secret; can be repeated").argParser(field);
  const read = add(
    `${flag}-file <key=file>`,
    "A field that a file holds, such as a secret; - is standard input",
  ).argParser(fieldFile);
  return (options) => {
    const fields = [options[given.attributeName()], options[read.attributeName()]].filter((one) => one !== undefined);
    return fields.length === 0 ? undefined : Object.assign({}, ...fields);
  };
}

function field(text: string, before: Fields = {}): Fields {
  const at = text.indexOf("=");
  if (at < 1) throw new InvalidArgumentError("It must look like key=value.");
  return { ...before, [text.slice(0, at)]: text.slice(at + 1) };
}

function fieldFile(text: string, before: Fields = {}): Fields {
  const [[key = "", file = ""] = []] = Object.entries(field(text));
  return { ...before, [key]: fileAt(file) };
}

function fileAt(file: string): string {
  try {
    return readFileSync(file === "-" ? 0 : file, "utf8").trim();
  } catch (error) {
    throw new InvalidArgumentError(`The file cannot be read: ${error instanceof Error ? error.message : ""}`);
  }
}
