import { invalidField } from "../service-error.ts";

const longest = 80;

/** A name that people gave. */
export function checkedName(name: string): string {
  const trimmed = name.trim();
  if (trimmed !== "" && trimmed.length <= longest && !/\p{Cc}/u.test(trimmed)) return trimmed;
  throw invalidField("name", `Enter a name of 1 to ${longest} characters.`);
}

/** The name, unless another one in the list has it. */
export function refuseTakenName(others: readonly { readonly name: string }[], name: string): string {
  if (others.every((other) => other.name.toLowerCase() !== name.toLowerCase())) return name;
  throw invalidField("name", `The name ${name} is already in use. Choose another name.`);
}
