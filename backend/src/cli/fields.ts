import { readFileSync } from "node:fs";
import { InvalidArgumentError, type Command } from "commander";

type Fields = Readonly<Record<string, string>>;

/** The options that `withFields` adds. */
export interface FieldOptions {
  readonly field?: Fields;
  readonly fieldFile?: Fields;
}

/** Adds options for the fields of a channel or a tracker. Secrets are read from files, as other programs of the machine can read the arguments of a command. */
export function withFields(command: Command): Command {
  return command
    .option("--field <key=value>", "a field that is not secret; can be repeated", field)
    .option("--field-file <key=file>", "a field that a file holds, such as a secret; - is standard input", fieldFile);
}

/** The fields by their keys. */
export const fieldsOf = ({ field: given = {}, fieldFile: read = {} }: FieldOptions): Fields => ({ ...given, ...read });

function field(text: string, before: Fields = {}): Fields {
  const at = text.indexOf("=");
  if (at < 1) throw new InvalidArgumentError("It must look like key=value.");
  return { ...before, [text.slice(0, at)]: text.slice(at + 1) };
}

function fieldFile(text: string, before: Fields = {}): Fields {
  const [[key = "", file = ""] = []] = Object.entries(field(text));
  try {
    return { ...before, [key]: readFileSync(file === "-" ? 0 : file, "utf8").trim() };
  } catch (error) {
    throw new InvalidArgumentError(`The file cannot be read: ${error instanceof Error ? error.message : ""}`);
  }
}
