import { suite } from "uvu";
import * as assert from "uvu/assert";
import { codeUrl } from "../../backend/src/services/code-links/code-url.ts";
import { frameAddress, releaseAddress } from "../../backend/src/services/code-links/linked-backend.ts";

const links = suite("links to the code");

const base = "https://git.example.com/acme/web/-/blob/";
const gitlab = codeUrl(`${base}{revision}/{path}#L{line}`);
const none = { release: "", commit: "" };
const sha = "8f14e45fceea167a5a36dedd4bea2543c1f1d0b6";

const frame = (filename: string, absPath = filename, module = "") => ({ filename, absPath, module, lineno: 12 });
const pathOf = (given: ReturnType<typeof frame>, codeRoot = "") =>
  frameAddress({ codeUrl: `https://h.example/{path}`, codeRoot }, given, none)?.slice("https://h.example/".length);

// The forms in which the SDKs of test/fixtures/captures send the paths of their frames.
const paths: [sdk: string, given: ReturnType<typeof frame>, root: string, path: string | undefined][] = [
  ["Python", frame("shop/cart.py", "/srv/app/src/shop/cart.py", "shop.cart"), "", "shop/cart.py"],
  ["Python below a root", frame("shop/cart.py", "/srv/app/src/shop/cart.py"), "/srv/app/", "src/shop/cart.py"],
  ["Python outside the root", frame("requests/api.py", "/usr/lib/requests/api.py"), "/srv/app/", undefined],
  ["Node", frame("/srv/app/src/cart.js"), "", undefined],
  ["Node below a root", frame("/srv/app/src/cart.js"), "/srv/app/", "src/cart.js"],
  ["Node beside the root", frame("/srv/application/cart.js"), "/srv/app/", undefined],
  ["Node's own modules", frame("node:internal/modules/cjs/loader"), "", undefined],
  ["Node's own modules of old", frame("internal/modules/cjs/loader.js"), "", undefined],
  ["Go", frame("/srv/app/internal/pay/main.go", undefined, "main"), "/srv/app/", "internal/pay/main.go"],
  ["Java", frame("Cart.java", undefined, "com.example.shop.Cart$Item"), "", "com/example/shop/Cart.java"],
  ["Java without package", frame("Cart.java", undefined, "Cart"), "", "Cart.java"],
  ["Ruby", frame("lib/cart.rb", "/srv/app/lib/cart.rb"), "", "lib/cart.rb"],
  ["PHP", frame("/src/Cart.php", "/srv/app/src/Cart.php"), "", undefined],
  ["PHP below a root", frame("/src/Cart.php", "/srv/app/src/Cart.php"), "/srv/app/", "src/Cart.php"],
  ["Rust", frame("main.rs", "src/main.rs"), "", "src/main.rs"],
  ["a browser", frame("https://shop.example/bundle.js"), "", undefined],
  ["a browser with a name", frame("bundle.js", "https://shop.example/bundle.js"), "", undefined],
  ["rewritten frames", frame("app:///src/cart.js"), "app:///", "src/cart.js"],
  ["Windows", frame("shop\\cart.py", "C:\\code\\shop\\cart.py"), "", "shop/cart.py"],
  ["Windows below a root", frame("C:\\code\\src\\Cart.cs"), "C:/code/", "src/Cart.cs"],
  ["a name that begins with ./", frame("./src/cart.js"), "", "src/cart.js"],
  ["packages called the application's", frame("node_modules/x/y.js"), "", undefined],
  ["packages below a root", frame("/srv/app/.venv/site-packages/x.py"), "/srv/app/", undefined],
  ["Next.js", frame("app/[slug]/page (1).tsx"), "", "app/%5Bslug%5D/page%20(1).tsx"],
  ["no file", frame("<anonymous>"), "", undefined],
  ["native code", frame("[native code]"), "", undefined],
  ["nothing", frame(""), "", undefined],
];
for (const [sdk, given, root, path] of paths)
  links(`the path in the repository as ${sdk} sends it: ${path ?? "none"}`, () => assert.is(pathOf(given, root), path));

const hostile = [
  "../../settings",
  "src/../../../evil",
  "..",
  ".",
  "./..",
  "./../evil",
  "src/./cart.js",
  "//evil.example/x",
  "/\\evil.example",
  "\\\\evil.example\\x",
  "..\\..\\evil",
  "src\\..\\..\\evil",
  "https://evil.example/",
  "javascript:alert(1)",
  "JAVASCRIPT:alert(1)",
  "data:text/html,x",
  "%2e%2e/%2e%2e/evil",
  "%2E%2e",
  "%2fevil",
  "src/%00",
  "\tjavascript:alert(1)",
  "java\nscript:alert(1)",
  "src/\u0000cart.js",
  "src/\u202ecart.js",
  "src/\ud800.js",
  "src//cart.js",
  "src/cart.js/",
  "/",
  '"><script>alert(1)</script>',
];
for (const filename of hostile)
  links(`a file called ${JSON.stringify(filename)} has no link`, () => {
    for (const codeRoot of ["", "/srv/app/", "/"]) {
      for (const given of [frame(filename), frame("a.js", filename), frame(`/srv/app/${filename}`)]) {
        const address = frameAddress({ codeUrl: gitlab, codeRoot }, given, none);
        // Below the root it may be a path that is strange and harmless.
        assert.ok(address === undefined || URL.parse(address)?.href.startsWith(`${base}HEAD/`), `${address}`);
        assert.ok(address === undefined || given.filename !== filename || codeRoot === "/", `${address}`);
      }
    }
    const address = frameAddress({ codeUrl: gitlab, codeRoot: "" }, frame("a.js"), { release: filename, commit: "" });
    assert.ok(address === undefined || URL.parse(address)?.href.startsWith(base), `${address}`);
    const tag = releaseAddress({ codeUrl: gitlab, codeRoot: "" }, { release: filename, commit: "" });
    assert.ok(
      tag === undefined || URL.parse(tag)?.href.startsWith("https://git.example.com/acme/web/-/tags/"),
      `${tag}`,
    );
  });

const strange: [filename: string, path: string][] = [
  ["src/a?b=c.js", "src/a%3Fb%3Dc.js"],
  ["src/a#L1.js", "src/a%23L1.js"],
  ["src/a b&c.js", "src/a%20b%26c.js"],
  ["src/100%.js", "src/100%25.js"],
  ["src/käse.js", "src/k%C3%A4se.js"],
  ["src/{line}.js", "src/%7Bline%7D.js"],
  ["src/@evil.example/x.js", "src/%40evil.example/x.js"],
  ["src/...", "src/..."],
];
for (const [filename, path] of strange)
  links(`a file called ${filename} stays one in the address`, () => {
    const address = frameAddress({ codeUrl: gitlab, codeRoot: "" }, frame(filename), none);
    assert.is(address, `${base}HEAD/${path}#L12`);
    assert.is(URL.parse(address ?? "")?.href, address);
  });

links("the revision is the commit, else the release, else HEAD", () => {
  const revised = (release: string, commit: string) =>
    frameAddress({ codeUrl: gitlab, codeRoot: "" }, frame("a.js"), { release, commit });
  assert.is(revised("web@1", sha), `${base}${sha}/a.js#L12`);
  assert.is(revised("@acme/web@1+2", ""), `${base}%40acme/web%401%2B2/a.js#L12`);
  assert.is(revised("", ""), `${base}HEAD/a.js#L12`);
});

const repository = "https://git.example.com/acme/web";
const releases: [form: string, commit: string | undefined, tag: string | undefined][] = [
  [gitlab, `${repository}/-/commit/${sha}`, `${repository}/-/tags/web%401`],
  [
    "https://git.example.com/a/b/c/-/blob/{revision}/{path}",
    `https://git.example.com/a/b/c/-/commit/${sha}`,
    "https://git.example.com/a/b/c/-/tags/web%401",
  ],
  [`${repository}/-/blob/main/{path}`, `${repository}/-/commit/${sha}`, undefined],
  [
    `${repository}/blob/{revision}/app/{path}#L{line}`,
    `${repository}/commit/${sha}`,
    `${repository}/releases/tag/web%401`,
  ],
  [`${repository}/src/commit/{revision}/{path}`, `${repository}/commit/${sha}`, `${repository}/src/tag/web%401`],
  [
    "https://git.example.com/git/acme/web/src/branch/main/{path}",
    `https://git.example.com/git/acme/web/commit/${sha}`,
    undefined,
  ],
  [
    "https://bitbucket.org/acme/web/src/{revision}/{path}#lines-{line}",
    `https://bitbucket.org/acme/web/commits/${sha}`,
    "https://bitbucket.org/acme/web/commits/tag/web%401",
  ],
  [
    "https://github.com/acme/blob/blob/{revision}/{path}",
    `https://github.com/acme/blob/commit/${sha}`,
    "https://github.com/acme/blob/releases/tag/web%401",
  ],
  ["https://git.example.com/?p=web.git;f={path};hb={revision}", undefined, undefined],
  ["https://git.example.com/{revision}/{path}", undefined, undefined],
  ["", undefined, undefined],
];
for (const [form, commit, tag] of releases)
  links(`releases where a line is shown at "${form}"`, () => {
    const place = { codeUrl: codeUrl(form), codeRoot: "" };
    assert.is(releaseAddress(place, { release: "web@1", commit: sha }), commit);
    assert.is(releaseAddress(place, { release: "web@1", commit: "" }), tag);
    assert.is(releaseAddress(place, none), undefined);
  });

links.run();
