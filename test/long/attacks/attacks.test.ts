import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "uvu";
import * as assert from "uvu/assert";
import { repositoryRoot } from "../../support/service/server.ts";

/**
 * The attacks through external systems, and the attacks on console, accounts, gRPC, storage and operation. The numbers
 * between them are attacks on ingestion.
 */
const ranges = [
  [1, 28],
  [61, 125],
] as const;

const corpus = "test/long/attacks/outbound-corpus.test.ts";
const outbound = "test/long/attacks/outbound.test.ts";

/** Attacks that tests with other claims cover: file and name. */
const shownElsewhere: readonly (readonly [attack: number, file: string, name: string])[] = [
  // Every form of an address, a name and a port in one corpus.
  ...[1, 2, 3, 4, 5, 6, 8, 9, 13, 17].flatMap((attack) => [
    [attack, corpus, "the outbound client refuses all of them with the same answer, and tries no connection"] as const,
    [
      attack,
      corpus,
      "the lookup by projects.json and gRPC refuses all of them with the same answer, and tries no connection",
    ] as const,
  ]),
  ...[11, 12, 16].map(
    (attack) =>
      [attack, corpus, "unclear texts are refused immediately by lookup and save, all in the same words"] as const,
  ),
  [6, corpus, "with all private networks allowed, metadata services and addresses that translate to them stay refused"],
  [7, outbound, "a name is looked up once a request, and the connection goes to the address that was judged"],
  [14, outbound, "an address of the service itself is refused, by name and by address"],
  [15, outbound, "a proxy that the environment names is not used"],
  [18, outbound, "a certificate is good for its names alone, which the request keeps while it goes to the address"],
  [88, "test/long/permissions.test.ts", "every cell of the matrix is tried"],
  [
    89,
    "test/flow/database/members/members.test.ts",
    "a member who is lowered or removed mid-session has lost the right at the next call, by token and by session",
  ],
  [
    89,
    "test/flow/database/members/invitations.test.ts",
    "an invitation that was not accepted gives no access, though the user exists already",
  ],
  [
    94,
    "test/flow/database/members/key-limit.test.ts",
    "of 100 keys made simultaneously, a project gets 50, and the others are refused in words",
  ],
  [94, "test/flow/database/members/key-limit.test.ts", "the last key may be deleted, and takes no event from then on"],
  [95, "test/flow/bad-input.test.ts", "a deleted key is refused within a second"],
  [
    98,
    "test/long/database/key-rotation.test.ts",
    "a secret that was moved to another row is not shown there, and a rotation neither mends it nor stops at it",
  ],
  [
    99,
    "test/long/database/key-rotation.test.ts",
    "a kill at any moment of a rotation leaves an installation that starts and reads everything",
  ],
  [102, "test/long/attacks/grpc-walls.test.ts", "reflection is offered on this machine alone, health everywhere"],
  [
    103,
    "test/long/attacks/grpc-walls.test.ts",
    "requests of more than 256 KiB are refused, but parts of uploads may have 4 MiB and batches of events 16",
  ],
  [
    103,
    "test/long/attacks/grpc-walls.test.ts",
    "a message that decompresses beyond the limit is refused, and the service continues",
  ],
  [
    105,
    "test/long/attacks/grpc-walls.test.ts",
    "the token alone decides who the caller is, whatever other headers claim",
  ],
  [106, "test/unit/grpc-deadline.test.ts", "a call without a deadline gets one, and its work is aborted"],
  [122, "test/long/instance/own-errors.test.ts", "an own event that cannot be stored is not reported in turn"],
];

/** Attacks on what the product has not. */
const notOffered: ReadonlyMap<number, string> = new Map([
  [79, "nothing is exported as CSV"],
  [118, "there is no NATS yet"],
  [119, "there is no PostgreSQL yet"],
  [121, "there is no restore of backups yet: a backup is a copy of files"],
]);

const sources = globSync("test/**/*.test.ts", { cwd: repositoryRoot, exclude: ["**/node_modules/**"] });
const textOf = (file: string) => readFileSync(join(repositoryRoot, file), "utf8");

/** The attacks that tests have in their names: `A66: ...` or `A69, A76: ...`. */
const named = new Set(
  sources
    .flatMap((file) => [...textOf(file).matchAll(/["`](A\d+(?:, A\d+)*)[:,] /g)])
    .flatMap(([, numbers = ""]) => numbers.split(", ").map((number) => Number(number.slice(1)))),
);

test("each attack of the catalogue has a test, or a reason why there is nothing to attack", () => {
  const known = new Set([...named, ...shownElsewhere.map(([attack]) => attack), ...notOffered.keys()]);
  const all = ranges.flatMap(([first, last]) => Array.from({ length: last - first + 1 }, (_, index) => first + index));
  assert.equal(
    all.filter((attack) => !known.has(attack)),
    [],
  );
});

test("the tests that are named here exist", () => {
  const missing = shownElsewhere.filter(([, file, name]) => !textOf(file).includes(`"${name}"`));
  assert.equal(missing, []);
});

test("nothing that has a test is said not to be offered", () => {
  assert.equal(
    [...notOffered.keys()].filter((attack) => named.has(attack)),
    [],
  );
});

test.run();
