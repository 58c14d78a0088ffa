import { parseSearch, printSearch, searchKeys, SearchProblem, type Term } from "@faultline/plugin/search";
import { suite } from "uvu";
import * as assert from "uvu/assert";

const language = suite("the search language");

const withoutPlace = (terms: readonly (Term & { start: number; end: number })[]): Term[] =>
  terms.map(({ start: _start, end: _end, ...term }) => term);

/** Searches and how they are printed: in the usual spelling. */
const read: readonly (readonly [search: string, printed: string])[] = [
  ["", ""],
  ["   ", ""],
  ["timeout", "timeout"],
  ["  two   words ", "two words"],
  ['"out of memory" now', '"out of memory" now'],
  ["!timeout", "!timeout"],
  ["https://h.example/a", '"https://h.example/a"'],
  ["TypeError: x is undefined", '"TypeError:" x is undefined'],
  ["ActiveRecord::RecordNotFound std::io::Error", '"ActiveRecord::RecordNotFound" "std::io::Error"'],
  ["127.0.0.1:5432 12:30 2001:db8::1", '"127.0.0.1:5432" "12:30" "2001:db8::1"'],
  ["C:\\temp", '"C:\\\\temp"'],
  ["db:5432", "db:5432"],
  ["timeout* *out *", 'timeout out "\\*"'],
  ["NOT level:info NOT timeout not", "!level:info !timeout not"],
  ['"NOT"', '"NOT"'],
  ['"a/b c":x "odd]":y has:"a/b c"', 'tags[a/b c]:x "odd]":y has:tags[a/b c]'],
  ['"TypeError": x', 'TypeError ":" x'],
  ["größe:5", "größe:5"],
  ["release:>=app@1.2", "release:>=app@1.2"],
  ["release:>com.x@388.0+388.0.7", "release:>com.x@388.0+388.0.7"],
  ["browser.name:Safari stack.filename:a.py", "browser:Safari file:a.py"],
  ["level:fatal", "level:fatal"],
  ["level:warn", "level:warning"],
  ["is:archived", "is:ignored"],
  ["is:[resolved, ignored]", "is:[resolved, ignored]"],
  ["error.type:TypeError", "type:TypeError"],
  ["title:memory", "message:memory"],
  ["my-tag:a:b", 'my-tag:"a:b"'],
  ["tags[level]:x", "tags[level]:x"],
  ["tags[two words]:x", "tags[two words]:x"],
  ["release:web@1.*", "release:web@1.*"],
  ["release:=1.2", "release:1.2"],
  ["release:>=1.2.0", "release:>=1.2.0"],
  ["!release:1.2", "!release:1.2"],
  ["all:environment:production", "all:environment:production"],
  ["!all:environment:production", "!all:environment:production"],
  ["has:user", "has:user"],
  ["!has:tags[user]", "!has:tags[user]"],
  ['browser:[Chrome,Firefox, "Mobile Safari"]', 'browser:[Chrome, Firefox, "Mobile Safari"]'],
  ["timesSeen:>100", "timesSeen:>100"],
  ["events:7", "timesSeen:7"],
  ["users:<=0010", "users:<=10"],
  ["age:-24h", "firstSeen:-24h"],
  ["firstSeen:+7d", "firstSeen:+7d"],
  ["lastSeen:>=2026-09-01", "lastSeen:>=2026-09-01"],
  ["lastSeen:<2026-09-01T10:00Z", 'lastSeen:<"2026-09-01T10:00Z"'],
  ["handled:no", "handled:false"],
  ["value:\\*", 'value:"\\*"'],
  ["path:C:\\temp", 'path:"C:\\\\temp"'],
  ["user.email:*@example.com", 'user.email:"*@example.com"'],
];
for (const [search, printed] of read) {
  language(`${JSON.stringify(search)} is printed as ${JSON.stringify(printed)}`, () => {
    const terms = withoutPlace(parseSearch(search));
    assert.is(printSearch(terms), printed);
    assert.equal(withoutPlace(parseSearch(printed)), terms);
  });
}

/** Searches that are refused: the place of the problem, and words of the message. */
const refused: readonly (readonly [search: string, place: string, words: RegExp])[] = [
  ["a is:fixed b", "is:fixed", /“fixed” is not a value of is\. Use unresolved, resolved or ignored\./],
  ["level:loud", "level:loud", /fatal, error, warning, info or debug/],
  ['x "never closed', '"never closed', /quotes have no end/],
  ["browser:[a, b", "browser:[a, b", /list has no end/],
  ["browser:[]", "browser:[]", /list is empty/],
  ["a OR b", "OR", /OR is not supported/],
  ["a AND b", "AND", /Leave out AND/],
  ["a (b c)", "(b", /parentheses/],
  ["user.id:", "user.id:", /has no value/],
  ["has:", "has:", /has no value/],
  ["a tenant:", "tenant:", /put it in quotes/],
  ["a browser:", "browser:", /has no value/],
  ["a NOT", "NOT", /excludes the term that follows/],
  ["NOT !level:info", "NOT !level:info", /excludes the term that follows/],
  ["tenant:>5", "tenant:>5", /have no order/],
  ["environment:[>5]", "environment:[>5]", /list can only have values/],
  ["release:>=latest", "release:>=latest", /“latest” is not a version that can be ordered.*release:>=web@1\.4/],
  ["release:<app@1.2+a1b2c3", "release:<app@1.2+a1b2c3", /“a1b2c3” is not a number.*Leave out the \+/],
  ['environment:""', 'environment:""', /!has:environment/],
  ["environment:*", "environment:*", /has:environment/],
  ["timesSeen:many", "timesSeen:many", /needs a number/],
  ["firstSeen:yesterday", "firstSeen:yesterday", /age or a date/],
  ["firstSeen:<-24h", "firstSeen:<-24h", /last 24 hours/],
  ["release:>", "release:>", /needs a version/],
  ["all:timesSeen:3", "all:timesSeen:3", /one value anyway/],
  ["all:is:resolved", "all:is:resolved", /one value anyway/],
  ['""', '""', /quotes are empty/],
];
for (const [search, place, words] of refused) {
  language(`${JSON.stringify(search)} is refused at ${JSON.stringify(place)}`, () => {
    const { start, end, message } = problemOf(search);
    assert.is(search.slice(start, end), place);
    assert.match(message, words);
  });
}

language("500 characters, 20 terms and 50 values are taken, and one more of each is not", () => {
  assert.is(parseSearch("x".repeat(500)).length, 1);
  assert.match(problemOf("x".repeat(501)).message, /at most 500 characters/);
  assert.is(parseSearch("x ".repeat(20)).length, 20);
  assert.match(problemOf("x ".repeat(21)).message, /at most 20 terms/);
  assert.is(parseSearch(`k:[${"a,".repeat(50)}]`).length, 1);
  assert.match(problemOf(`k:[${"a,".repeat(51)}]`).message, /at most 50 values/);
});

language("reading what is printed gives the same terms, for 20,000 random searches", () => {
  const random = randomOf(20_261_125);
  for (let n = 0; n < 20_000; n++) {
    const terms = Array.from({ length: random.below(4) }, () => randomTerm(random));
    const printed = printSearch(terms);
    if (printed.length > 500) continue;
    assert.equal(withoutPlace(parseSearch(printed)), terms, printed);
  }
});

language("random texts are read or refused, and never hang", () => {
  const random = randomOf(7);
  for (let n = 0; n < 20_000; n++) {
    const text = randomText(random, 40);
    try {
      const terms = parseSearch(text);
      assert.equal(withoutPlace(parseSearch(printSearch(terms))), withoutPlace(terms), text);
    } catch (error) {
      assert.instance(error, SearchProblem, `${text}: ${String(error)}`);
      const { start, end } = error as SearchProblem;
      assert.ok(start >= 0 && start < end && end <= text.length, text);
    }
  }
});

function problemOf(search: string): SearchProblem {
  try {
    parseSearch(search);
  } catch (error) {
    if (error instanceof SearchProblem) return error;
    throw error;
  }
  throw new Error(`${search} was read`);
}

interface Random {
  below(limit: number): number;
}

/** A linear congruential generator (Numerical Recipes), so that each run has the same searches. */
function randomOf(seed: number): Random {
  let state = seed;
  return {
    below: (limit) => {
      state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32;
      return Math.floor((state / 2 ** 32) * limit);
    },
  };
}

const letters = [
  '"',
  "\\",
  "*",
  "!",
  ":",
  "[",
  "]",
  "(",
  ")",
  ",",
  " ",
  "a",
  "B",
  "é",
  ".",
  "-",
  ">",
  "=",
  "OR ",
  "is:",
  "has:",
  "all:",
  "tags[",
  "users:",
  "level:",
  "age:",
  "\n",
  "/",
  "1",
  "d",
];

function randomText(random: Random, most: number): string {
  return Array.from({ length: 1 + random.below(most) }, () => letters[random.below(letters.length)] ?? "").join("");
}

function randomTerm(random: Random): Term {
  const isNegated = random.below(2) === 0;
  const tag = { key: randomText(random, 5).replace(/[\]]/g, "") || "tag", isTag: true };
  const text = () => randomText(random, 6).replace(/^\s*$/, "x") || "x";
  switch (random.below(4)) {
    case 0:
      return { of: "text", text: text(), isNegated };
    case 1:
      return { of: "presence", ...tag, isNegated };
    case 2: {
      const pattern = () => [text(), ...(random.below(3) === 0 ? [text()] : [])] as [string, ...string[]];
      const isOnly = random.below(3) === 0;
      return {
        of: "value",
        ...tag,
        values: [pattern(), ...(random.below(3) === 0 ? [pattern()] : [])],
        isNegated,
        isOnly,
      };
    }
    default: {
      const operator = ([">", ">=", "<", "<=", "="] as const)[random.below(5)] ?? "=";
      return {
        of: "comparison",
        key: "timesSeen",
        isTag: false,
        operator,
        operand: String(random.below(1000)),
        isNegated,
      };
    }
  }
}

language("each key is described, and none has the name of another", () => {
  const names = Object.entries(searchKeys).flatMap(([key, about]) => [
    key.toLowerCase(),
    ...("aliases" in about ? about.aliases : []),
  ]);
  assert.is(new Set(names).size, names.length);
  for (const { meaning } of Object.values(searchKeys)) assert.match(meaning, /^[A-Z]/);
});

language.run();
