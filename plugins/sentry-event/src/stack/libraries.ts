/** The location of a frame, as far as it shows the owner of the code. */
export interface FramePlace {
  readonly platform: string;
  readonly path: string;
  readonly module: string;
  readonly function: string;
  /** The binary or assembly. */
  readonly package: string;
}

/** One place of code that is not the application's. A frame is there when one of the patterns matches. */
export interface LibraryRule {
  /** The name of the place in docs/frames.md. */
  readonly name: string;
  readonly platforms: readonly string[];
  /**
   * Whether the rule corrects frames that their SDK marks as the application's own: the SDK's own code, the runtime, and
   * the folders of dependencies of SDKs that mark everything. Elsewhere such a mark is somebody's choice, such as
   * `in_app_include` of Python, and stays.
   */
  readonly corrects: boolean;
  /** True for dependencies that an application may choose as its own code: see OwnCode. */
  readonly mayBeChosen?: true;
  /** True for the SDK and the language's own core, which say nothing about an error: its libraries do at least. */
  readonly isRuntime?: true;
  readonly path?: RegExp;
  readonly module?: RegExp;
  readonly function?: RegExp;
  readonly package?: RegExp;
}

const script = ["javascript", "node"];
const binary = ["native", "rust", "c", "cocoa", "objc", "swift"];

/** The places of libraries by platform. docs/frames.md describes each; a test compares the two. */
export const libraryRules: readonly LibraryRule[] = [
  {
    name: "Sentry's SDKs for JavaScript",
    platforms: script,
    corrects: true,
    isRuntime: true,
    path: /(?:^|[\\/])node_modules[\\/](?:\.pnpm[\\/])?@sentry(?:-internal)?[\\/+]|^https?:\/\/(?:browser|js)\.sentry-cdn\.com\//,
  },
  {
    name: "Node's own modules",
    platforms: script,
    corrects: true,
    isRuntime: true,
    path: /^(?:node:|internal\/)/,
  },
  {
    name: "JavaScript's own functions, such as `Array.map`",
    platforms: script,
    corrects: true,
    isRuntime: true,
    path: /^(?:<anonymous>|\[native code\]|native|index \d+)$/,
  },
  {
    name: "`node_modules` in a browser",
    platforms: ["javascript"],
    corrects: true,
    mayBeChosen: true,
    path: /(?:^|[\\/])node_modules[\\/]/,
  },
  {
    name: "Browser extensions",
    platforms: ["javascript"],
    corrects: true,
    path: /^(?:chrome|moz|safari(?:-web)?|ms-browser)-extension:/,
  },
  {
    name: "`node_modules` in Node",
    platforms: ["node"],
    corrects: false,
    path: /(?:^|[\\/])node_modules[\\/]/,
  },
  {
    name: "Sentry's SDKs for Python",
    platforms: ["python"],
    corrects: true,
    isRuntime: true,
    module: /^(?:sentry_sdk(?:\.|$)|raven\.(?:base|contrib|handlers|middleware|transport|utils)\b)/,
  },
  {
    name: "Python's frozen modules",
    platforms: ["python"],
    corrects: true,
    isRuntime: true,
    path: /^<frozen /,
  },
  {
    name: "`site-packages`, `dist-packages` and the standard library",
    platforms: ["python"],
    corrects: false,
    path: /(?:^|[\\/])(?:site|dist)-packages[\\/]|[\\/]lib[\\/]python\d/i,
  },
  {
    name: "Sentry's SDKs for Ruby",
    platforms: ["ruby"],
    corrects: true,
    isRuntime: true,
    path: /(?:^|[\\/])lib[\\/](?:sentry|raven|sentry-r(?:uby|ails|aven)(?:-core)?)(?:\.rb$|[\\/])/,
  },
  {
    name: "Gems and the standard library",
    platforms: ["ruby"],
    corrects: true,
    mayBeChosen: true,
    path: /[\\/]gems[\\/][^\\/]+-\d|[\\/]bundler[\\/]gems[\\/]|[\\/]lib[\\/]ruby[\\/]|^<internal:/,
  },
  {
    name: "A folder `gems`",
    platforms: ["ruby"],
    corrects: false,
    path: /[\\/]gems[\\/]/,
  },
  {
    name: "Sentry's SDKs for PHP",
    platforms: ["php"],
    corrects: true,
    isRuntime: true,
    function: /^\\?Sentry\\/,
  },
  {
    name: "PHP itself",
    platforms: ["php"],
    corrects: true,
    isRuntime: true,
    path: /^\[internal\]/,
  },
  {
    name: "Composer's `vendor`",
    platforms: ["php"],
    corrects: true,
    mayBeChosen: true,
    path: /(?:^|[\\/])vendor[\\/]/,
  },
  {
    name: "Sentry's SDK for Go",
    platforms: ["go"],
    corrects: true,
    isRuntime: true,
    module: /^github\.com\/getsentry\/sentry-go(?:\/|$)/,
  },
  {
    name: "Go's module cache and `vendor`",
    platforms: ["go"],
    corrects: true,
    mayBeChosen: true,
    path: /[\\/]pkg[\\/]mod[\\/]|@v\d+\.\d|(?:^|[\\/])vendor[\\/]/,
  },
  {
    name: "Go's standard library",
    platforms: ["go"],
    corrects: true,
    isRuntime: true,
    module: /^(?:runtime|reflect|syscall|testing|net\/http|database\/sql|encoding\/json|internal\/\w+)(?:[/.]|$)/,
  },
  {
    name: "Sentry's SDKs for the JVM",
    platforms: ["java", "kotlin", "scala"],
    corrects: true,
    isRuntime: true,
    module: /^io\.sentry\.(?!samples?\.)/,
  },
  {
    name: "The JDK, Android and the languages of the JVM",
    platforms: ["java", "kotlin", "scala"],
    corrects: true,
    isRuntime: true,
    module: /^(?:javax?|sun|com\.sun|jdk|kotlinx?|scala|groovy|android|androidx|dalvik|com\.android\.internal)\./,
  },
  {
    name: "Well-known frameworks of the JVM",
    platforms: ["java", "kotlin", "scala"],
    corrects: false,
    module:
      /^(?:jakarta|org\.(?:springframework|apache|hibernate|eclipse|jboss|junit|slf4j|postgresql|gradle|codehaus)|ch\.qos|io\.(?:netty|micrometer|quarkus|vertx|grpc)|reactor|com\.(?:fasterxml|zaxxer|google\.common|squareup|mysql)|okhttp3|retrofit2)\./,
  },
  {
    name: "Sentry's SDKs for Rust",
    platforms: ["native", "rust"],
    corrects: true,
    isRuntime: true,
    function: /^<?sentry(?:_\w+)?::/,
  },
  {
    name: "Rust's standard library",
    platforms: ["native", "rust"],
    corrects: true,
    isRuntime: true,
    function: /^<?(?:std|core|alloc|__rustc)::|^(?:rust_begin_unwind|__rust_\w+|_?_rust_\w+)$/,
    path: /^\/rustc\//,
  },
  {
    name: "Cargo's registry and checkouts",
    platforms: ["native", "rust"],
    corrects: true,
    mayBeChosen: true,
    path: /(?:^|[\\/])\.?cargo[\\/](?:registry|git)[\\/]/,
  },
  {
    name: "Sentry's SDKs for native code and Apple's systems",
    platforms: binary,
    corrects: true,
    isRuntime: true,
    function: /^(?:[-+]\[Sentry|sentry(?:crash)?_{1,2}\w)/,
    package: /[\\/]Sentry(?:\.framework[\\/]|$)|[\\/](?:lib)?sentry(?:-android)?\.(?:so|dll|dylib)$/,
  },
  {
    name: "Libraries of the operating system",
    platforms: binary,
    corrects: true,
    isRuntime: true,
    package:
      /^\/(?:usr\/)?lib(?:32|64|exec)?\/|^\/System\/Library\/|^\/(?:system|apex|vendor)\/|[\\/]Windows[\\/]Sys(?:tem32|WOW64)[\\/]|\/Developer\/Platforms\//i,
    function:
      /^(?:__libc_start_(?:main|call_main)\w*|__libc_start_main_impl|_start|start_thread|clone3?|(?:__)?futex_wait\w*|(?:__GI_)?(?:_*pthread_|_*syscall|abort$|raise$|__assert)\w*|_?objc_(?:msgSend|exception)\w*|__cxa_\w+|_sigtramp)$/,
  },
  {
    name: "Sentry's SDKs for .NET",
    platforms: ["csharp"],
    corrects: true,
    isRuntime: true,
    module: /^Sentry(?:\.|$)/,
    package: /^Sentry(?:\.|,|$)/,
  },
  {
    name: ".NET itself",
    platforms: ["csharp"],
    corrects: true,
    isRuntime: true,
    module: /^System(?:\.|$)/,
  },
  {
    name: "Microsoft's frameworks for .NET",
    platforms: ["csharp"],
    corrects: false,
    module: /^(?:Microsoft|Npgsql|Newtonsoft|Grpc|MySql)\./,
  },
  {
    name: "Dart, Flutter and Sentry's SDKs for them",
    platforms: ["dart"],
    corrects: true,
    isRuntime: true,
    path: /^(?:dart:|(?:package:)?(?:flutter|sentry|sentry_flutter)\/)/,
  },
];

/** Whether a frame is in a library. `markedOwn` says that its SDK marks the frame as the application's own. */
export function isLibrary(place: FramePlace, markedOwn: boolean): boolean {
  return libraryOf(place, markedOwn) !== undefined;
}

/** The library in which a frame is: the first rule of its platform that matches; undefined if no rule matches. */
export function libraryOf(place: FramePlace, markedOwn: boolean): LibraryRule | undefined {
  const table = tables.get(place.platform);
  if (!table) return undefined;
  let matching = 0;
  for (const { field, matches } of table.fields) {
    const text = place[field];
    if (text !== "") matching |= matches(text);
  }
  if (markedOwn) matching &= table.correcting;
  return matching === 0 ? undefined : table.rules[31 - Math.clz32(matching & -matching)];
}

type Field = "path" | "module" | "function" | "package";
const fields: readonly Field[] = ["path", "module", "function", "package"];

/** The rules of a platform. A set of rules is a number, with a bit for each. */
interface Table {
  readonly rules: readonly LibraryRule[];
  /** The rules that correct a mark. */
  readonly correcting: number;
  /** The rules that a text of a field matches, for the fields that rules of this platform have. */
  readonly fields: readonly { readonly field: Field; readonly matches: (text: string) => number }[];
}

const tables: ReadonlyMap<string, Table> = new Map(
  [...new Set(libraryRules.flatMap(({ platforms }) => platforms))].map((platform) => [platform, tableOf(platform)]),
);

function tableOf(platform: string): Table {
  const rules = libraryRules.filter(({ platforms }) => platforms.includes(platform));
  return {
    rules,
    correcting: setOf(rules, ({ corrects }) => corrects),
    fields: fields
      .filter((field) => rules.some((rule) => rule[field]))
      .map((field) => ({
        field,
        matches: remembered((text) => setOf(rules, (rule) => rule[field]?.test(text) === true)),
      })),
  };
}

function setOf(rules: readonly LibraryRule[], isIn: (rule: LibraryRule) => boolean): number {
  return rules.reduce((set, rule, index) => (isIn(rule) ? set | (1 << index) : set), 0);
}

const mostRemembered = 2_000;

/** The same function, which remembers its results: a frame takes 0.1 µs instead of 0.4, because the same texts come again and again. */
function remembered(find: (text: string) => number): (text: string) => number {
  const known = new Map<string, number>();
  return (text) => {
    let found = known.get(text);
    if (found === undefined) {
      if (known.size >= mostRemembered) known.clear();
      found = find(text);
      known.set(text, found);
    }
    return found;
  };
}
