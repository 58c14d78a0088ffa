import type { Family, NameRule } from "./fold.ts";

/** Rules of every platform, before its own. */
const everywhere: readonly NameRule[] = [
  { has: "-", pattern: /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/gi },
  { has: "@", noise: true, pattern: /@(?:0x)?(?=[a-f]{0,15}\d)[0-9a-f]{5,16}(?![\w./:])/g }, // an object's identity
  { has: "0x", pattern: /0x[0-9a-f]{4,16}\b/gi },
];

const script: readonly NameRule[] = [
  { has: "*", pattern: /^[^*]{1,100}\*(?=.)/ }, // Firefox: `async*pay`, `setTimeout handler*pay`
  { has: " ", pattern: /^(?:async |new |get |set |static |bound )+/ },
  { has: " [as ", pattern: / \[as [^\]]*\]$/ },
  { has: "wasm-function[", pattern: /^.*wasm-function\[\d+\].*$/, to: "wasm-function", unnamed: true },
  { has: "::h", pattern: /::h[0-9a-f]{16}$/ }, // Rust in WebAssembly
  { has: "<", pattern: /^.*<$/, unnamed: true }, // Firefox: `pay/<`
  { has: "./", pattern: /^(?:Object|Module)?\.{0,2}\/.*$/, unnamed: true }, // a module of webpack
  { has: "/", pattern: /^.*\/(?=.)/ }, // Firefox: `outer/inner`
  { has: ".", pattern: /^.*\.(?=.)/ },
  { has: "$", pattern: /\$\d+$/ }, // Rollup
  { has: "_loop", pattern: /^(_loop)_?\d+$/, to: "$1" },
  { has: "_callee", pattern: /^_callee\d*\$?$/, unnamed: true }, // Babel
  {
    pattern:
      /^(?:\?|<anonymous>|[Aa]nonymous(?: function)?|\(anonymous(?: function)?\)|eval|(?:global|eval|module) code|<global>|<computed>|_onTimeout|_onImmediate|default|\d+)$/,
    unnamed: true,
  },
  {
    has: "on",
    pattern:
      /^(on(?:[A-Z]\w*|abort|blur|change|click|close|error|focus|input|load|message|open|submit|unload|key(?:down|up|press)|mouse(?:down|enter|leave|move|out|over|up)|touch(?:start|end|move)))$/,
    to: "$1",
    unnamed: true,
  },
];

const jvm: readonly NameRule[] = [
  { has: "lambda$", pattern: /^lambda\$(?:null|static|new)\$\d+$/, unnamed: true },
  { has: "lambda$", pattern: /^lambda\$(.+?)\$\d+$/, to: "$1", unnamed: true },
  { has: "$lambda", pattern: /(?:\$lambda[$-]\d+)+$/, unnamed: true }, // Kotlin 2
  { has: "$anonfun", pattern: /^\$anonfun\$(?:([^$]+)\$)?\d+(?:\$adapted)?$/, to: "$1", unnamed: true }, // Scala
  { has: "access$", pattern: /^access\$\d+$/, unnamed: true },
  { has: "_closure", pattern: /_closure\d+/g, to: "_closure", unnamed: true }, // Groovy
  { has: "__", pattern: /__\d+(?=$|[$.])/g },
  { has: "$", pattern: /(?:\$\d+)+$/ },
];

const php: readonly NameRule[] = [
  { has: "@anonymous", noise: true, pattern: /@anonymous(?:[^:]|:(?!:))*(?=::|$)/, to: "@anonymous" },
  {
    has: "{closure",
    noise: true,
    pattern: /^(?:([\w\\\x80-\uffff@]+::))?.*?\{closure.*$/,
    to: "$1{closure}",
    unnamed: true,
  },
  { has: "nonymous", pattern: /^(?:\[Anonymous function\]|class@anonymous)$/, unnamed: true },
  { has: "eval", pattern: /^(?:eval|\{main\}eval)$/, unnamed: true },
  { has: "{main}", pattern: /^\{main\}$/, unnamed: true },
  { has: "Container", noise: true, pattern: /\bContainer[A-Za-z0-9_]{7}(?=\\)/g, to: "Container" }, // Symfony
  {
    has: "__TwigTemplate_",
    noise: true,
    pattern: /__TwigTemplate_[0-9a-f]{32,64}(?:___\d+)?/,
    to: "__TwigTemplate",
    unnamed: true,
  },
  { has: "__CG__", noise: true, pattern: /^.*?\\?__CG__\\/ }, // proxies of Doctrine
  { has: "Ghost", noise: true, pattern: /Ghost[0-9a-f]{7}(?=::|\\|$)/, to: "Ghost" },
  { has: "Proxy", noise: true, pattern: /Proxy_?[0-9a-f]{7}(?=::|\\|$)/, to: "Proxy" },
  { has: "Mockery_", noise: true, pattern: /Mockery_\d+_/, to: "Mockery_" },
  { has: "_", pattern: /\b((?:Mock|MockObject|TestStub)_\w+?)_[0-9a-f]{8}(?=::|$)/, to: "$1" },
  { has: "_", pattern: /\b((?:content|smarty_template_function)_)[0-9a-f]{10,}[\w.]*/, to: "$1" }, // Smarty
];

const ruby: readonly NameRule[] = [
  { has: " in ", pattern: /^(?:(?:block(?: \(\d+ levels\))?|rescue|ensure) in )+/ },
  { has: "__", noise: true, pattern: /_{2,3}\d{2,20}(?:_\d{1,20})?$/ }, // templates of Rails; a negative hash has a third underscore
  { has: "__tilt_", noise: true, pattern: /__tilt_\d+/, to: "__tilt" }, // templates of Sinatra
  { has: "<", pattern: /^(?:.*[.#])?<(?:(?:class|module):.*|main|top \(required\)|compiled)>$/, unnamed: true },
  { pattern: /^(?:block|eval|irb_binding|singleton class|\(eval.*\))$/, unnamed: true },
  { has: "#", pattern: /^[^#]*#(?=.)/ }, // Ruby 3.4: `Cart#save`
  { has: ".", pattern: /^(?:[A-Z]\w*::)*[A-Z]\w*\.(?=[a-z_])/ },
];

const python: readonly NameRule[] = [
  { has: "<locals>", pattern: /^.*<locals>\.(?=.)/ },
  {
    has: "<",
    pattern: /^(?:.*\.)?<(?:module|lambda|listcomp|dictcomp|setcomp|genexpr|cell line: \d+|string|stdin)>$/,
    unnamed: true,
  },
];

const dotnet: readonly NameRule[] = [
  { has: "<<Main>$>", pattern: /<<Main>\$>/g, to: "<Main>" },
  { has: "<Main>$", pattern: /^<Main>\$$/, unnamed: true },
  { has: "<>", pattern: /(?:^|[.+])<>c(?:__DisplayClass\d+_\d+)?(?:`\d+)?(?=[.+]|$)/g },
  { has: ">g__", pattern: /<([^<>]+)>g__(\w+?)\|\d+_\d+/, to: "$1.$2" }, // a local function
  { has: ">d", pattern: /<([^<>]+)>d(?:__\d+)?(?:`\d+)?(?:\.MoveNext)?/, to: "$1" }, // an async method
  { has: ">b__", pattern: /<([^<>]+)>b__\d+(?:_\d+)?/, to: "$1", unnamed: true }, // a lambda
  { has: "StateMachine_", pattern: /VB\$StateMachine_\d+_(\w+?)(?:\.MoveNext)?$/, to: "$1" },
  { has: "_Lambda$", pattern: /^_Lambda\$__[\w-]+$/, unnamed: true },
  { has: "lambda_method", pattern: /lambda_method\d*/, to: "lambda_method", unnamed: true },
  { has: "AnonymousMethod", pattern: /AnonymousMethod__\w+/, unnamed: true },
  { has: "@", pattern: /@\d+(?:-\d+)?(?=\.|$)/g, unnamed: true }, // F#
  { has: "=>", pattern: /\+?\(.*\) ?=> ?\{ ?(?:\.\.\.)? ?\}$/, unnamed: true },
  { pattern: /^[.+]+/ },
];

const go: readonly NameRule[] = [
  { has: "glob.", pattern: /\bglob\.+(?=func)/, to: "glob." },
  { has: "func", pattern: /(?:\.func\d+)(?:\.(?:func|gowrap|deferwrap)?\d+|-range\d+|-fm)*$/, unnamed: true },
  { has: "func", pattern: /^func\d+(?:\.\d+)*$/, unnamed: true },
  { has: "wrap", pattern: /\.(?:gowrap|deferwrap)\d+$|·dwrap·\d+$/ },
  { has: "-", pattern: /(?:-range\d+|-fm)+$/ },
  { has: "init.", pattern: /\binit\.\d+$/, to: "init" },
];

const binary: readonly NameRule[] = [
  {
    pattern:
      /^(?:<(?:unknown|redacted|unresolved symbol|deduplicated_symbol)>|unknown|\?+|_mh_execute_header|sub_[0-9a-fA-F]+|fun_[0-9a-f]+)$/,
  },
  { has: "::h", noise: true, pattern: /::h[0-9a-f]{16}(?=$|\.)/ },
  { has: "17h", noise: true, pattern: /17h[0-9a-f]{16}E/, to: "E" },
  { has: "[", pattern: /\[[0-9a-f]{8,17}\]|\[abi:\w+\]/g },
  { has: ".", pattern: /(?:\.(?:llvm|part|isra|constprop|cold|lto_priv|clone)(?:\.\d+)*)+$/ },
  { has: "+", pattern: / ?\+ ?(?:0x)?[0-9a-f]+$/ },
  {
    has: "{",
    pattern:
      /(?:::)?\{(?:\{(?:closure|async_fn|async_block|async_closure)\}|(?:closure|async_fn|async_block|async_closure)#\d+)\}(?:::\{\{closure\}\})*/g,
    unnamed: true,
  },
  { has: "{", pattern: /\{impl#\d+\}/g, to: "{impl}" },
  {
    has: "lambda",
    pattern: /(?:::)?(?:\{lambda\(.*\)#\d+\}|'lambda\d*'(?:\(.*\))?|<lambda_[0-9a-f]+>)(?:::operator\(\).*)?/,
    to: "::{lambda}",
    unnamed: true,
  },
  { has: "$_", pattern: /\$_\d+(?:::operator\(\).*)?/, to: "{lambda}", unnamed: true },
  { has: "A0x", pattern: /A0x[0-9a-f]{8}::/ },
  { has: "_block_invoke", pattern: /^__(?:\d+)?(.+?)_block_invoke(?:[._]\d+)*$/, to: "$1", unnamed: true },
  { has: " resume partial function for ", pattern: /^\(\d+\) (?:suspend|await) resume partial function for / },
  { has: " ", pattern: /^(?:specialized |@objc |merged |partial apply (?:forwarder )?for |implicit )+/ },
  { has: "closure #", pattern: /^.*closure #\d.* in (?=[^ ])/, unnamed: true },
  { has: "closure #", pattern: /^closure #\d.*$/, unnamed: true },
];

const beam: readonly NameRule[] = [
  { has: "fn/", pattern: /^anonymous fn\/\d+ in /, unnamed: true },
  {
    has: "-",
    pattern: /^['"]?-(.+?)\/(\d+)-(?:fun|inlined|lists\^|after\$\^|lc\$\^|lbc\$\^|anonymous).*$/,
    to: "$1/$2",
    unnamed: true,
  },
  { has: "Elixir.", pattern: /\bElixir\./g },
];

const dart: readonly NameRule[] = [
  { has: "<", pattern: /(?:\.?<(?:fn|anonymous closure)>)+/g, unnamed: true },
  { has: "closure", pattern: /^closure\d*$/, unnamed: true },
  { has: "@", pattern: /@\d+/g },
  { has: "new ", pattern: /^new / },
];

const perl: readonly NameRule[] = [
  { has: "__ANON__", pattern: /__ANON__(?:\[[^\]]*\])?/, to: "__ANON__", unnamed: true },
  { has: "(eval", pattern: /\(eval(?: \d+)?\)/g, unnamed: true },
];

const other: readonly NameRule[] = [
  { pattern: /^(?:\?|<?(?:anonymous|unknown|lambda|module|main)>?|\(anonymous\))$/, unnamed: true },
];

/** Generated parts of function names. */
export const functionRules: Readonly<Record<Family, readonly NameRule[]>> = {
  script: [...everywhere, ...script],
  jvm: [...everywhere, ...jvm],
  php: [...everywhere, ...php],
  ruby: [...everywhere, ...ruby],
  python: [...everywhere, ...python],
  dotnet: [...everywhere, ...dotnet],
  go: [...everywhere, ...go],
  binary: [...everywhere, ...binary],
  beam: [...everywhere, ...beam],
  dart: [...everywhere, ...dart],
  perl: [...everywhere, ...perl],
  other: [...everywhere, ...other],
};
