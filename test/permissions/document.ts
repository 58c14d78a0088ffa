import { Role } from "@faultline/proto";
import type { Need } from "../../backend/src/services/access/permissions.ts";
import { permissionsOf, roleNames } from "../../backend/src/services/access/roles.ts";
import { coreMethods, restEntrances, trpcEntrances, type CoreMethod, type Entrance } from "./operations.ts";

const people = ["Anybody", "User", ...roleNames.values(), "Administrator"];

/** docs/permissions.md, made of the options of the methods and the REST operations over them. */
export function permissionsDocument(methods = coreMethods, rest = restEntrances): string {
  return [
    "# Permissions",
    "",
    "This page lists who may call each method over gRPC, REST and tRPC.",
    "",
    "- **Columns**: `Anybody` is not signed in. `User` has an account and is not a member of the project. The others are the roles of",
    "  members, and administrators.",
    "- **Cells**: `✓` means allowed, `·` refused. `404` means that the project looks as if it did not exist.",
    "- **Token**: `read` needs the scope `api` or `read_api`, `write` the scope `api`, `upload` the scope `api` or `upload`. `session`",
    "  needs a person who signed in. `keys: write` means that the answer omits client keys unless the token has the scope `api`.",
    "",
    "`node test/permissions/write.ts` makes this page from the option `needs` of each method in `proto/`, and a test compares both.",
    "`test/long/permissions.test.ts` tries every cell over gRPC, REST and tRPC, `test/permissions/matrix.test.ts` the cells next to",
    "a different result.",
    "",
    ...[...Map.groupBy(methods, ({ name }) => name.split(".")[0] ?? "")].flatMap(([service, ofService]) => [
      `## ${service}`,
      "",
      `| Method | REST | tRPC | Token | ${people.join(" | ")} |`,
      `| ${Array.from({ length: people.length + 4 }, () => "---").join(" | ")} |`,
      ...ofService.map((method) => row(method, rest)),
      "",
    ]),
  ].join("\n");
}

function row({ name, need }: CoreMethod, restful: readonly Entrance[]): string {
  const [rest, trpc] = [restful, trpcEntrances].map((list) => namesOf(list, name));
  return `| \`${name.split(".")[1]}\` | ${rest} | ${trpc} | ${tokenFor(need)} | ${cells(need).join(" | ")} |`;
}

function tokenFor(need: Need): string {
  if (need.who === "anyone") return "none";
  const isWithoutKeys = need.who === "member" && need.holdsKeys === true && need.scope === "read";
  return isWithoutKeys ? "read, keys: write" : need.scope;
}

function namesOf(entrances: readonly Entrance[], method: string): string {
  return entrances
    .filter((entrance) => entrance.method.name === method)
    .map(({ name }) => `\`${name}\``)
    .join("<br>");
}

function cells(need: Need): string[] {
  const roles = [...roleNames.keys()];
  switch (need.who) {
    case "anyone":
      return people.map(() => "✓");
    case "user":
      return ["·", ...people.slice(1).map(() => "✓")];
    case "administrator":
      return [...people.slice(1).map(() => "·"), "✓"];
    case "member":
      return ["·", "404", ...roles.map((role) => (permissionsOf(role as Role).has(need.permission) ? "✓" : "·")), "✓"];
  }
}
