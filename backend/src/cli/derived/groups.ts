import { commentOf } from "@faultline/proto/comments";
import type { Command } from "commander";
import type { Verb } from "./methods.ts";
import { groupWords, spellingOf } from "./names.ts";

/** The group with these words. It is created if it is missing. */
export const groupIn = (program: Command, words: readonly string[]): Command =>
  words.reduce((parent, word) => parent.commands.find((one) => one.name() === word) ?? parent.command(word), program);

/** Describes groups without a description by the first sentence about their service. */
export function describeGroups(program: Command, verbs: readonly Pick<Verb, "id" | "method">[]): void {
  for (const verb of verbs) {
    const group = groupIn(program, spellingOf(verb).words.slice(0, -1));
    const [sentence = ""] = commentOf(verb.method.parent)
      .replace(/ \(specification.*?\)/g, "")
      .split(/[.:;] |\.$/);
    if (group.description() === "") group.description(groupWords[group.name()] ?? sentence);
  }
}
