import type { Family, NameRule } from "./fold.ts";

const jvm: readonly NameRule[] = [
  {
    has: "$$",
    noise: true,
    pattern: /\$\$(?:Enhancer|FastClass|KeyFactory|MethodWrapper)?(?:By)?[A-Za-z]*(?:CGLIB|Guice)[A-Za-z]*\$\$[\w$]*/,
  },
  { has: "_$$_", noise: true, pattern: /_\$\$_\w+/ }, // Javassist, Weld
  { has: "$Hibernate", noise: true, pattern: /\$HibernateProxy(?:\$\w+)?/ },
  { has: "$ByteBuddy", noise: true, pattern: /\$ByteBuddy(?:\$\w+)?/ },
  { has: "$Mockito", noise: true, pattern: /\$MockitoMock(?:\$\w+)?/ },
  { has: "$auxiliary", noise: true, pattern: /\$auxiliary\$\w+/ },
  { has: "$$Owb", noise: true, pattern: /\$\$Owb\w*Proxy\d+/ },
  { has: "$$$view", noise: true, pattern: /\$\$\$view\d+/ }, // WildFly
  {
    has: "$$",
    noise: true,
    pattern: /-?\$\$(?:ExternalSynthetic)?(?:Lambda|Outline)[$\w]*(?:[/.](?:0x)?[0-9a-f]+)?(?:@[0-9a-f]+)?/,
    to: "$$$$Lambda",
    unnamed: true,
  },
  { has: "/", noise: true, pattern: /\/(?:0x)?[0-9a-f]{6,16}\b/ }, // a hidden class
  { has: "LambdaForm", noise: true, pattern: /(LambdaForm\$\w+)\.\w+/, to: "$1" },
  { has: "Accessor", noise: true, pattern: /(Generated\w*Accessor)\d+/, to: "$1" },
  { has: "$Proxy", noise: true, pattern: /^(?:.*\.)?(\$Proxy)\d+$/, to: "$1" },
  { has: "__", pattern: /__\d+(?=$|[$.])/g }, // Clojure
  { has: "$fn", pattern: /\$fn(?=$|\$)/g, to: "$$fn", unnamed: true },
  { has: "$eval", pattern: /\$eval\d+/g, to: "$$eval" },
  { has: "$reify", pattern: /\$reify\d+/g, to: "$$reify" },
  { has: "$anon", pattern: /\$+anon(?:fun)?\b(?:\$+\w+)*/, to: "$$anon", unnamed: true }, // Scala
  { has: "_closure", pattern: /_closure\d+/g, to: "_closure", unnamed: true }, // Groovy
  { has: "Script", pattern: /\bScript_?[0-9a-f]{1,32}$/, to: "Script" },
  { has: "Codegen", pattern: /(CodegenStage)\d+/, to: "$1" }, // Spark
  { has: "$", pattern: /(?:\$\d+)+(?=$|\$)/g, unnamed: true }, // an anonymous class
  { has: "@", noise: true, pattern: /@[0-9a-f]{5,16}\b/g },
];

const python: readonly NameRule[] = [
  { has: "__mp_main__", pattern: /^__mp_main__$/, to: "__main__" },
  { has: "tmp", pattern: /\btmp[a-z0-9_]{8}\b/, to: "tmp" },
  { has: "unusual_prefix_", pattern: /unusual_prefix_[0-9a-f]{40}_/ }, // Airflow
  { has: "ipykernel", pattern: /ipykernel_\d+/, to: "ipykernel" },
  { pattern: /^\d{5,}$/ },
];

const dotnet: readonly NameRule[] = [
  { has: "<>", pattern: /(?:[.+])<>c(?:__DisplayClass\d+_\d+)?(?:`\d+)?/g },
  { has: "<<Main>$>", pattern: /<<Main>\$>/g, to: "<Main>" },
  { has: ">d", pattern: /<([^<>]+)>d(?:__\d+)?/g, to: "$1" },
  { has: ">b__", pattern: /<([^<>]+)>b__\d+(?:_\d+)?/g, to: "$1", unnamed: true },
  { has: "StateMachine_", pattern: /VB\$StateMachine_\d+_/ },
  { has: "_Closure$", pattern: /[.+]?_Closure\$__[\w-]*/ },
  { has: "DynamicProxies", pattern: /(DynamicProxies\.\w+?)_[0-9A-F]{64}/, to: "$1" }, // Entity Framework
  { has: "Castle.Proxies", pattern: /(Castle\.Proxies\.\w+?)_\d+/, to: "$1" },
  { has: "@", pattern: /@\d+(?:-\d+)?(?:T)?(?=$|[.+])/g, unnamed: true }, // F#
];

const go: readonly NameRule[] = [
  { has: "@v", pattern: /@v[^/]*/g },
  { has: "/vendor/", pattern: /^.*\/vendor\// },
  { has: "v", pattern: /[./]v\d+(?=[/.]|$)/g }, // the major version of a module
];

const beam: readonly NameRule[] = [{ has: "Elixir.", pattern: /\bElixir\./g }];

const binary: readonly NameRule[] = [
  { has: "::h", pattern: /::h[0-9a-f]{16}$/ },
  { has: "[", pattern: /\[[0-9a-f]{8,17}\]/g },
];

const php: readonly NameRule[] = [
  { has: "@anonymous", noise: true, pattern: /@anonymous.*$/, to: "@anonymous" },
  { has: "Container", noise: true, pattern: /\bContainer[A-Za-z0-9_]{7}(?=\\)/g, to: "Container" },
  { has: "__CG__", noise: true, pattern: /^.*?\\?__CG__\\/ },
];

const none: readonly NameRule[] = [];

/** Generated parts of the names of modules and classes. Modules of scripts are names of files. */
export const moduleRules: Readonly<Record<Family, readonly NameRule[]>> = {
  script: none,
  jvm,
  php,
  ruby: none,
  python,
  dotnet,
  go,
  binary,
  beam,
  dart: [{ has: "@", pattern: /@\d+/g }],
  perl: [{ has: "(eval", pattern: /\(eval(?: \d+)?\)/g }],
  other: none,
};
