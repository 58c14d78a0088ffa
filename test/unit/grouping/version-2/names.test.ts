import { suite } from "uvu";
import * as assert from "uvu/assert";
import { foldPlace, foldType, namesOf } from "../../../../plugins/sentry-event/src/generated-names/names.ts";
import { threadMs } from "../../../support/service/thread-time.ts";

/** `()` behind a name: the function identifies no place by itself. */
const functions: [platform: string, names: readonly string[], folded: string][] = [
  [
    "node",
    ["handle", "Object.handle", "Shop.Cart.handle", "async handle", "async Cart.handle", "async*handle"],
    "handle",
  ],
  ["node", ["setTimeout handler*handle", "promise callback*Cart.handle"], "handle"],
  ["node", ["Object.run [as handle]", "Cart.run", "get run", "Cart.prototype.run"], "run"],
  ["javascript", ["new Cart", "Cart", "new Shop.Cart", "Cart$1"], "Cart"],
  [
    "javascript",
    ["?", "<anonymous>", "Object.<anonymous>", "anonymous", "Anonymous function", "pay/<", "pay/</<"],
    "()",
  ],
  ["javascript", ["eval", "global code", "eval code", "module code", "exports.default", "Timeout._onTimeout"], "()"],
  [
    "javascript",
    ["_callee$", "Cart._callee2$", "Object../src/cart.js", "./src/cart.js", "44921", "Module.44921"],
    "()",
  ],
  ["javascript", ["onClick", "Object.onClick", "HTMLButtonElement.onClick"], "onClick()"],
  ["javascript", ["pay/inner", "inner", "Pay.inner"], "inner"],
  [
    "javascript",
    ["wasm-function[12]:0x1a2b", "wasm-function[31]:0x99", "shop.wasm.wasm-function[7]"],
    "wasm-function()",
  ],
  ["javascript", ["shop::pay::h0123456789abcdef", "shop::pay::hfedcba9876543210"], "shop::pay"],
  ["javascript", ["_loop_1", "_loop2"], "_loop"],
  ["java", ["lambda$main$0", "lambda$main$19", "main$lambda$3", "main$lambda$3$lambda$0", "main$lambda-1"], "main()"],
  ["java", ["lambda$null$3", "lambda$static$0", "lambda$new$7", "access$000", "access$100"], "()"],
  ["scala", ["$anonfun$pay$1", "$anonfun$pay$2$adapted"], "pay()"],
  ["scala", ["$anonfun$1", "$anonfun$12"], "()"],
  ["scala", ["inner$1", "inner$2", "inner"], "inner"],
  ["java", ["fn__1234", "fn__7"], "fn"],
  ["java", ["<init>"], "<init>"],
  [
    "php",
    ["App\\Job@anonymous/app/a.php:12$0::run", "App\\Job@anonymous/srv/2/app/a.php:19$2a::run"],
    "App\\Job@anonymous::run",
  ],
  [
    "php",
    ["class@anonymous/app/a.php:3$0::run", "class@anonymous::run", "class@anonymous C:\\app\\a.php:7$1::run"],
    "class@anonymous::run",
  ],
  ["php", ["class@anonymous/app/a.php:3$0", "[Anonymous function]", "{main}"], "()"],
  ["php", ["{closure}", "{closure:/app/web.php:12}", "{closure:App\\Shop::pay():41}", "App\\{closure}"], "{closure}()"],
  [
    "php",
    ["App\\Shop::{closure}", "App\\Shop::{closure:App\\Shop::pay():41}", "App\\Shop::{closure:{closure:/a.php:1}:3}"],
    "App\\Shop::{closure}()",
  ],
  ["php", ["ContainerAb12Cd3\\getX::do", "ContainerZz98Yy7\\getX::do"], "Container\\getX::do"],
  [
    "php",
    [`__TwigTemplate_${"a1".repeat(16)}::doDisplay`, `__TwigTemplate_${"b2".repeat(32)}___12::doDisplay`],
    "__TwigTemplate::doDisplay()",
  ],
  ["php", ["Proxies\\__CG__\\App\\User::name", "App\\User::name"], "App\\User::name"],
  ["php", ["UserGhost1a2b3c4::name", "UserGhost0f0e0d0::name"], "UserGhost::name"],
  ["php", ["App\\Shop::pay"], "App\\Shop::pay"],
  [
    "ruby",
    ["_app_views_a_html_erb___1335902923_70229", "_app_views_a_html_erb__998877665544_12345"],
    "_app_views_a_html_erb",
  ],
  [
    "ruby",
    ["save", "Cart#save", "Shop::Cart#save", "block in save", "block (2 levels) in save", "rescue in save"],
    "save",
  ],
  ["ruby", ["ensure in block in Cart#save", "rescue in block (3 levels) in save"], "save"],
  ["ruby", ["find", "Cart.find", "Shop::Cart.find"], "find"],
  [
    "ruby",
    ["block in <class:App>", "<class:App>", "<main>", "<top (required)>", "block (2 levels) in <top (required)>"],
    "()",
  ],
  ["ruby", ["__tilt_47120", "__tilt_9"], "__tilt"],
  ["ruby", ["GET /orders/:id"], "GET /orders/:id"],
  [
    "python",
    ["<module>", "<lambda>", "Cart.<lambda>", "pay.<locals>.<lambda>", "<listcomp>", "<genexpr>", "<cell line: 3>"],
    "()",
  ],
  ["python", ["pay", "Cart.total.<locals>.pay"], "pay"],
  ["csharp", ["<Save>d__4.MoveNext", "<Save>d__7.MoveNext", "Save", "<Save>d__4`1.MoveNext"], "Save"],
  [
    "csharp",
    ["<Pay>b__12_0", "<>c.<Pay>b__3_1", "<>c__DisplayClass12_0.<Pay>b__0", "<>c__DisplayClass3_0`1.<Pay>b__1"],
    "Pay()",
  ],
  ["csharp", ["<Pay>g__Charge|12_0", "<Pay>g__Charge|4_1"], "Pay.Charge"],
  ["csharp", ["lambda_method", "lambda_method12"], "lambda_method()"],
  ["csharp", ["<Main>$"], "()"],
  ["csharp", ["<<Main>$>b__0_1", "<<Main>$>b__0_7"], "Main()"],
  ["csharp", ["VB$StateMachine_3_Save.MoveNext", "VB$StateMachine_17_Save.MoveNext"], "Save"],
  ["fsharp", ["pay@12", "pay@31-1"], "pay()"],
  ["go", ["Pay.func1", "Pay.func2", "Pay.func1.2", "Pay.func3.gowrap1"], "Pay()"],
  ["go", ["(*Shop).Pay", "(*Shop).Pay-fm"], "(*Shop).Pay"],
  ["go", ["init.0", "init.1", "init"], "init"],
  ["go", ["glob..func1", "glob..func7"], "glob()"],
  ["rust", ["shop::save::h0123456789abcdef", "shop::save::hfedcba9876543210", "shop::save"], "shop::save"],
  [
    "native",
    [
      "shop::main::{{closure}}",
      "shop::main::{closure#0}",
      "shop::main::{closure#3}",
      "shop::main::{{closure}}::{{closure}}",
    ],
    "shop::main()",
  ],
  ["native", ["shop[1a2b3c4d5e6f7890]::pay", "shop[0a0b0c0d0e0f0a0b]::pay"], "shop::pay"],
  ["native", ["_ZN4shop4save17h0123456789abcdefE", "_ZN4shop4save17hfedcba9876543210E"], "_ZN4shop4saveE"],
  ["native", ["pay", "pay.llvm.1234567890", "pay.part.0", "pay.isra.0.cold", "pay + 123", "pay+0x1f"], "pay"],
  ["native", ["0x7ffd1234abcd", "<unknown>", "<redacted>", "??", "sub_1a2b3c"], "()"],
  [
    "native",
    ["pay()::{lambda()#1}::operator()() const", "pay()::{lambda(int)#12}::operator()(int) const"],
    "pay()::{lambda}()",
  ],
  [
    "cocoa",
    ["__45-[Cart save:]_block_invoke", "__45-[Cart save:]_block_invoke_2", "__17-[Cart save:]_block_invoke.31"],
    "-[Cart save:]()",
  ],
  ["cocoa", ["__pay_block_invoke", "__pay_block_invoke_3"], "pay()"],
  [
    "cocoa",
    [
      "closure #1 in Cart.pay()",
      "closure #2 (Swift.Int) -> () in closure #1 in Cart.pay()",
      "partial apply for closure #1 in Cart.pay()",
      "implicit closure #3 in Cart.pay()",
    ],
    "Cart.pay()()",
  ],
  [
    "cocoa",
    [
      "(1) await resume partial function for Cart.pay()",
      "(2) suspend resume partial function for Cart.pay()",
      "specialized Cart.pay()",
      "@objc Cart.pay()",
    ],
    "Cart.pay()",
  ],
  ["elixir", ["-pay/2-fun-0-", "-pay/2-fun-3-", "-pay/2-lists^foldl/2-0-", "-pay/2-inlined-0-"], "pay/2()"],
  ["elixir", ["anonymous fn/1 in Shop.Cart.pay/2", "anonymous fn/3 in Shop.Cart.pay/2"], "Shop.Cart.pay/2()"],
  [
    "dart",
    ["Cart.pay.<fn>", "Cart.pay.<anonymous closure>", "Cart.pay.<anonymous closure>.<anonymous closure>"],
    "Cart.pay()",
  ],
  ["dart", ["_Cart@1234567.pay", "_Cart@99.pay"], "_Cart.pay"],
  ["perl", ["main::__ANON__", "main::__ANON__[/srv/a.pl:12]"], "main::__ANON__()"],
  ["other", ["pay@6b3f1e9", "pay@5c0a77d"], "pay"],
];

function foldFunction(platform: string, name: string, filename = "") {
  return namesOf(platform).call({ module: "", filename, function: name });
}

const named = suite("names of functions");

for (const [platform, names, folded] of functions) {
  for (const sent of names) {
    named(`${platform}: ${sent} is ${folded}`, () => {
      const { name, isUnnamed } = foldFunction(platform, sent);
      assert.is(`${name}${isUnnamed ? "()" : ""}`, folded);
    });
  }
}

named("one or two letters are a name in a source, and none in a file that a build wrote", () => {
  assert.equal(foldFunction("javascript", "t", "https://h/cart.js"), { name: "t", isUnnamed: false });
  for (const file of ["https://h/cart-BaMZ3r4k.js", "/js/cart.min.js", "main.4185d9aa.js?v=2"])
    assert.equal(foldFunction("javascript", "t", file), { name: "", isUnnamed: true });
});

named.run();

const modules: [platform: string, modules: readonly string[], folded: string][] = [
  [
    "java",
    [
      "com.acme.Cart",
      "com.acme.Cart$$EnhancerBySpringCGLIB$$3f2a9c1d",
      "com.acme.Cart$$EnhancerBySpringCGLIB$$3f2a9c1d$$FastClassBySpringCGLIB$$1b2c3d4e",
      "com.acme.Cart$$FastClassBySpringCGLIB$$aa00bb11",
      "com.acme.Cart$$SpringCGLIB$$0",
      "com.acme.Cart$$SpringCGLIB$$FastClass$$1",
      "com.acme.Cart$$EnhancerByGuice$$12ab34",
      "com.acme.Cart$$EnhancerByCGLIB$$ab12",
      "com.acme.Cart$HibernateProxy$x1Y2z3",
      "com.acme.Cart$HibernateProxy",
      "com.acme.Cart$ByteBuddy$h3JkL9aZ",
      "com.acme.Cart$MockitoMock$1234567890",
      "com.acme.Cart_$$_javassist_42",
      "com.acme.Cart_$$_jvst7a_0",
      "com.acme.Cart$$$view12",
      "com.acme.Cart/0x0000000800c03000",
    ],
    "com.acme.Cart",
  ],
  [
    "java",
    [
      "com.acme.Job$$Lambda$30/208571",
      "com.acme.Job$$Lambda/0x00007f1c2c0d3a10",
      "com.acme.Job$$Lambda$142/0x00000008000e2840",
      "com.acme.Job$$ExternalSyntheticLambda3",
    ],
    "com.acme.Job$$Lambda()",
  ],
  [
    "java",
    ["jdk.internal.reflect.GeneratedMethodAccessor123", "jdk.internal.reflect.GeneratedMethodAccessor7"],
    "jdk.internal.reflect.GeneratedMethodAccessor",
  ],
  [
    "java",
    ["sun.reflect.GeneratedConstructorAccessor7", "sun.reflect.GeneratedConstructorAccessor12"],
    "sun.reflect.GeneratedConstructorAccessor",
  ],
  ["java", ["com.acme.$Proxy123", "jdk.proxy2.$Proxy155", "com.sun.proxy.$Proxy87"], "$Proxy"],
  ["java", ["com.acme.Cart$1", "com.acme.Cart$12", "com.acme.Cart$1$2"], "com.acme.Cart()"],
  ["kotlin", ["JobKt$main$1", "JobKt$main$1$2"], "JobKt$main()"],
  ["clojure", ["myapp.core$fn__12345", "myapp.core$fn__7"], "myapp.core$fn()"],
  ["clojure", ["myapp.core$pay__123", "myapp.core$pay__9", "myapp.core$pay"], "myapp.core$pay"],
  ["scala", ["Cart$$anonfun$pay$1", "Cart$$anonfun$pay$1$$anonfun$apply$2", "Cart$$anon$1"], "Cart$anon()"],
  ["groovy", ["Cart$_pay_closure1", "Cart$_pay_closure7"], "Cart$_pay_closure()"],
  ["java", ["com.acme.Cart$Companion"], "com.acme.Cart$Companion"],
  ["csharp", ["Acme.Cart+<>c__DisplayClass12_0", "Acme.Cart+<>c", "Acme.Cart"], "Acme.Cart"],
  ["csharp", ["Acme.Cart+<Pay>d__17", "Acme.Cart+<Pay>d__3"], "Acme.Cart+Pay"],
  [
    "csharp",
    [`DynamicProxies.Cart_${"0F".repeat(32)}`, `DynamicProxies.Cart_${"A1".repeat(32)}`],
    "DynamicProxies.Cart",
  ],
  [
    "go",
    ["acme.com/lib@v1.2.3/pay", "acme.com/lib@v1.3.0/pay", "acme.com/lib/v2/pay", "main/vendor/acme.com/lib/pay"],
    "acme.com/lib/pay",
  ],
  ["python", ["__mp_main__", "__main__"], "__main__"],
  ["python", ["tmpab12cd34", "tmpzz98yy76"], "tmp"],
  ["elixir", ["Elixir.Shop.Cart", "Shop.Cart"], "Shop.Cart"],
  ["node", ["dist:main.4185d9aa", "dist:main.9f01c2d3"], "dist:main"],
  ["javascript", ["src/Cart"], "src/cart"],
];

const inModules = suite("names of modules");

for (const [platform, names, folded] of modules) {
  for (const module of names) {
    inModules(`${platform}: ${module} is ${folded}`, () => {
      const { where, isUnnamed } = foldPlace(platform, { module, filename: "", function: "invoke" });
      assert.is(`${where}${isUnnamed ? "()" : ""}`, folded);
    });
  }
}

inModules("the type of an anonymous class has no path", () => {
  assert.is(foldType("php", "App\\Refused@anonymous/srv/1/a.php:12$0"), "App\\Refused@anonymous");
  assert.is(foldType("java", "com.acme.Refused$1"), "com.acme.Refused");
  assert.is(foldType("python", "ValueError"), "ValueError");
});

inModules.run();

const files: [platform: string, files: readonly string[], folded: string][] = [
  [
    "javascript",
    ["https://h/assets/index-BaMZ3r4k.js", "/assets/index-Cx9Qw2LM.js?v=2", "index-B3-x_9Qa.js", "index.js"],
    "index.js",
  ],
  ["javascript", ["/static/js/main.1a2b3c4d.js", "main.4185d9aade26cd3a6285.js", "main.6c7b.js", "MAIN.js"], "main.js"],
  ["javascript", ["main.1a2b3c4d.chunk.js", "main.99887766.chunk.js"], "main.chunk.js"],
  ["javascript", ["app/page-0a1b2c.js", "page-9f8e7d6c5b4a3210.js"], "page.js"],
  ["javascript", ["_app-b555ae3b7a3d0e2f.js", "_app-0c0ffee123456789.js"], "_app.js"],
  ["javascript", ["chunk-2QH6B4XR.js", "chunk-7ZKQ3MVA.js"], "chunk.js"],
  ["javascript", [`application-${"a1".repeat(32)}.js`, `application-${"0f".repeat(32)}.js`], "application.js"],
  ["javascript", ["4899.6c7b.js", "117.0a1b2c3d.js", "23.js"], "<number>.js"],
  ["javascript", ["checkout-DropDown.js"], "checkout-dropdown.js"],
  ["javascript", ["order-settings.js"], "order-settings.js"],
  ["javascript", ["es2015-polyfill.js"], "es2015-polyfill.js"],
  ["javascript", ["jquery-3.7.1.min.js"], "jquery-3.<number>.<number>.min.js"],
  [
    "javascript",
    ["webpack-internal:///./src/Cart.tsx", "webpack:///./src/Cart.tsx?a1b2", "app:///src/cart.tsx"],
    "cart.tsx",
  ],
  [
    "javascript",
    [
      "https://h/orders/1234",
      "/orders/1234",
      "https://h/",
      "https://h/index.html",
      "/shop.php",
      "https://h/a.b/c?x=y.js",
    ],
    "",
  ],
  [
    "javascript",
    [
      "blob:https://h/7f7aaadf",
      "data:text/javascript;base64,AA",
      "wasm://wasm/000a1b2c",
      "<anonymous>",
      "[native code]",
      "VM123",
    ],
    "",
  ],
  ["node", ["evalmachine.<anonymous>", "[eval]", "<anonymous>"], ""],
  ["node", ["/srv/bin/server"], "server"],
  ["python", ["3851284651.py", "/tmp/ipykernel_99/1112223334.py", "/tmp/tmpab12cd34.py"], "<generated>.py"],
  ["python", ["<ipython-input-12-abc>", "<string>", "<stdin>"], ""],
  ["php", ["/app/a.php(12) : eval()'d code", "/srv/releases/2/a.php"], "a.php"],
  ["php", [`storage/framework/views/${"a1".repeat(20)}.php`, `/app/${"0b".repeat(20)}.php`], "<generated>.php"],
  ["php", ["laravel-serializable-closure://function () {}"], ""],
  ["ruby", ["(eval at /srv/a.rb:12)", "(eval)"], ""],
  ["perl", ["(eval 12)", "(eval 7)"], ""],
  ["go", ["/go/pkg/mod/acme.com/lib@v1.2.3/a.go", "/go/pkg/mod/acme.com/lib@v1.3.0/a.go"], "a.go"],
];

const inFiles = suite("names of files");

for (const [platform, names, folded] of files)
  for (const name of names)
    inFiles(`${platform}: ${name} is "${folded}"`, () =>
      assert.is(namesOf(platform).where({ module: "", filename: name, function: "" }).name, folded),
    );

inFiles.run();

const attacks = suite("names under attack");

const seeds = [
  "a",
  "A",
  "a1",
  "$",
  "$1",
  "$$",
  "a$",
  "$$Lambda",
  "/0x1",
  ".",
  "a.",
  "<",
  "<a>",
  "{closure",
  "::",
  "@anonymous",
  "block in ",
  "closure #1 in ",
  "closure #1 ",
  " in ",
  "func1.",
  ".func1",
  "__1",
  "_1",
  "-",
  "a-",
  "(",
  "{lambda(",
  "*",
  "a*",
  "\\",
  "@1",
  "{{closure}}",
  "$lambda$1",
  "[1a2b3c4d]",
  " + 1",
  "partial apply for ",
];

attacks("each name is done with in no time on any platform", () => {
  for (const platform of [
    "node",
    "java",
    "php",
    "ruby",
    "python",
    "csharp",
    "go",
    "native",
    "elixir",
    "dart",
    "perl",
    "other",
  ]) {
    for (const seed of seeds) {
      const name = seed.repeat(256).slice(0, 255);
      for (const hostile of [name, `${name}!`, `closure #1${name}`, `lambda$${name}`, `$$Lambda${name}`, `{${name}`]) {
        const text = hostile.slice(0, 256);
        const spent = threadMs(() => foldPlace(platform, { module: text, filename: text, function: text }));
        assert.ok(spent < 5, `${platform} ${text.slice(0, 40)}: ${spent} ms`);
      }
    }
  }
});

attacks.run();
