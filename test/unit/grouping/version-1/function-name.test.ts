import { suite } from "uvu";
import * as assert from "uvu/assert";
import { functionName } from "../../../../plugins/integrated-backend/src/grouping/version-1/grouping.ts";

const names = suite("function name");

const table: [claim: string, platform: string, name: string, grouped: string][] = [
  ["no name stays none", "node", "", ""],
  ["a plain name stays", "node", "handle", "handle"],
  ["an object before a method says nothing", "node", "Object.handle", "handle"],
  ["a class before a method says nothing", "javascript", "Shop.Cart.add", "add"],
  ["an anonymous function has no name", "node", "Object.<anonymous>", ""],
  ["Node's question mark is no name", "node", "?", ""],
  ["Safari's anonymous function has no name", "javascript", "Anonymous function", ""],
  ["eval has no name", "javascript", "eval", ""],
  ["a lambda of Java is numbered anew by each compiler", "java", "lambda$main$0", ""],
  ["a method of Java stays", "java", "main", "main"],
  ["an anonymous class of PHP is numbered by its address", "php", "class@anonymous\u0000/app/a.php:3$0", ""],
  ["an anonymous function of PHP has no name", "php", "[Anonymous function]", ""],
  ["a method of PHP stays with its class", "php", "App\\Shop::pay", "App\\Shop::pay"],
  ["a block of Ruby is a block wherever it stands", "ruby", "block (2 levels) in pay", "block"],
  ["numbers of generated methods of Ruby are left out", "ruby", "_app_views_show__1234567_70001", "_app_views_show"],
  ["the hash of a Rust symbol is left out", "native", "shop::pay::h0123456789abcdef", "shop::pay"],
  ["a redacted symbol is no name", "native", "<redacted>", ""],
  ["an unknown symbol is no name", "native", "<unknown>", ""],
  ["a function of Go stays as it is", "go", "(*Shop).Pay.func1", "(*Shop).Pay.func1"],
  ["a function of Python stays as it is", "python", "<lambda>", "<lambda>"],
];

for (const [claim, platform, name, grouped] of table) {
  names(claim, () => assert.is(functionName(platform, name), grouped));
}

names.run();
