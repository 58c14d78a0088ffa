import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { services } from "@faultline/proto";
import type { Command } from "commander";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { commandLine, commandsOf } from "../../backend/src/cli/command-line.ts";
import { methodVerb } from "../../backend/src/cli/derived/methods.ts";
import {
  byHand,
  isForTokens,
  shownWhole,
  spellingOf,
  spellings,
  withFlags,
} from "../../backend/src/cli/derived/names.ts";
import { restOperations } from "../../backend/src/cli/operations.ts";
import { verbsOf } from "../../backend/src/cli/derived/verbs.ts";

/** The verbs of the command line that are derived from the services and from REST. */

const root = join(import.meta.dirname, "../..");
const program = await commandLine(["help"]);
const operations = await restOperations();
const verbs = verbsOf(operations);
const methods = Object.values(services).flatMap((service) => service.methods);

/** The words of a command after the program's. */
const wordsOf = (command: Command): string =>
  command.parent?.parent ? `${wordsOf(command.parent)} ${command.name()}` : command.name();

const names = new Set(commandsOf(program).map(wordsOf));

const session = "a session of a person who is signed in does it, and a token may not";
const link = "the page behind a link in a mail does it, for people without a token";

/** Methods without a verb, with the reason. */
const without: Readonly<Record<string, string>> = {
  "AccountService.SignIn": "tokens create signs in for its one call",
  "AccountService.SignOut": "tokens create signs out after its one call",
  "AccountService.UpdateProfile": session,
  "AccountService.ChangePassword": session,
  "AccountService.ListSessions": session,
  "AccountService.EndSession": session,
  "MemberService.GetInvitation": link,
  "MemberService.AcceptInvitation": session,
  "MemberService.RegisterByInvitation": link,
  "NotificationMailService.SendAddressConfirmation": session,
  "NotificationMailService.GetAddressConfirmation": link,
  "NotificationMailService.ConfirmAddress": link,
  "NotificationMailService.GetMailSubscription": link,
  "NotificationMailService.UnsubscribeFromMail": link,
  "UserService.CreatePasswordReset": session,
  "UserService.GetPasswordReset": link,
  "UserService.ResetPassword": link,
};

test("every method of every service has a verb, or a reason why it has none", () => {
  const derived = new Map(verbs.map((verb) => [String(verb.method), verb]));
  const idsOf = (method: (typeof methods)[number]) => [
    method.localName,
    ...operations.filter((one) => String(one.method) === String(method)).map(({ id }) => id),
  ];
  const missing = methods.filter((method) => {
    const verb = derived.get(String(method));
    if (verb) return !names.has(spellingOf(verb).words.join(" "));
    return !idsOf(method).some((id) => names.has(byHand[id] ?? ""));
  });
  assert.equal(
    missing.map((method) => `${method.parent.name}.${method.name}`).toSorted(),
    Object.keys(without).toSorted(),
  );
  assert.equal(missing.filter(isForTokens), [], "a method that a token may call has a verb");
});

test("commands that are written by hand, or have another name, exist", () => {
  assert.equal(
    Object.values(byHand).filter((name) => !names.has(name)),
    [],
  );
  const known = new Set([...operations.map(({ id }) => id), ...methods.map(({ localName }) => localName)]);
  assert.equal(
    [...Object.keys(byHand), ...Object.keys(spellings), ...shownWhole].filter((id) => !known.has(id)),
    [],
  );
});

test("every command and every group says in a sentence what it does", () => {
  const all = (command: Command): Command[] => [command, ...command.commands.flatMap(all)];
  assert.equal(
    all(program)
      .filter((command) => !/^[A-Z].+/.test(command.description()))
      .map(wordsOf),
    [],
  );
});

test("a call loads a part of the commands, and its help is the same as with all of them", async () => {
  assert.is((await commandLine([])).helpInformation(), program.helpInformation());
  for (const group of program.commands) {
    const part = (await commandLine([group.name()])).commands.find((one) => one.name() === group.name());
    assert.is(part?.helpInformation(), group.helpInformation());
  }
});

test("every command that README and docs show is there, with the flags that they show", () => {
  const files = ["README.md", ...readdirSync(join(root, "docs")).map((name) => `docs/${name}`)];
  const shown = files
    .filter((file) => file.endsWith(".md"))
    .flatMap((file) =>
      [
        ...readFileSync(join(root, file), "utf8").matchAll(/(?<=(?:^|`|npx |<\()faultline ).+?(?=$|`| #| [|>]|\))/gm),
      ].map(([text]) => text),
    );
  assert.ok(shown.length > 50, String(shown.length));
  const faults = shown.filter((text) => {
    if (text === "announcements") return false; // a name of a connection
    const words = text.split(/[ =]/);
    let named = program;
    for (const word of words) named = named.commands.find((one) => one.name() === word) ?? named;
    const flags = words.filter((word) => word.startsWith("--") && word !== "--help");
    return (
      (named === program && !text.endsWith("--help")) ||
      flags.some((flag) => !named.options.some(({ long }) => long === flag))
    );
  });
  assert.equal(faults, []);
});

test("a verb of a method has its comments as help, its required fields as arguments and the others as flags", () => {
  const method = services.errors.method.listSearchValues;
  const verb = methodVerb(method);
  assert.is(verb.path, "/:project");
  assert.match(verb.summary, /^List values that a search of a project can name/);
  assert.equal(Object.keys(verb.params), ["key", "prefix"]);
  assert.match(String(verb.params["prefix"]?.schema.description), /\w/);
  const confirm = methodVerb(services.users.method.confirmUserEmail);
  assert.equal([confirm.path, Object.keys(confirm.params)], ["/:user_id/:email", []]);
});

test("a fault of a parameter names the flag that a person gave", () => {
  assert.is(withFlags("ends_at is missing", "setNotificationMaintenance"), "--until is missing");
  assert.is(withFlags("channel_id does not have a valid value", "other"), "--channel does not have a valid value");
  assert.is(withFlags("ids, query, status is invalid", "createDeletion"), "--ids, --query, --status is invalid");
});

test.run();
