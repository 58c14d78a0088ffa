import type { JsonObject } from "@faultline/sentry-event";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { details, withFrames } from "../../support/sentry/sentry-event.ts";

const ownCode = suite("own code");

const chosen: [claim: string, platform: string, frames: JsonObject[], own: string[]][] = [
  [
    "a package that in_app_include names is own beside others of its folder",
    "php",
    [
      { function: "main", abs_path: "/var/www/public/index.php", in_app: true },
      { function: "lib", abs_path: "/var/www/vendor/laravel/framework/Pipeline.php", in_app: false },
      { function: "total", abs_path: "/var/www/vendor/acme/billing/Invoice.php", in_app: true },
    ],
    ["main", "total"],
  ],
  [
    "an SDK that marks all dependencies is corrected, whatever it says of its own frames and of other folders",
    "php",
    [
      { function: "main", abs_path: "/var/www/public/index.php", in_app: true },
      { function: "lib", abs_path: "/var/www/vendor/laravel/framework/Pipeline.php", in_app: true },
      { function: "other", abs_path: "/opt/tool/vendor/x.php", in_app: false },
      { function: "call", abs_path: "[internal]", in_app: false },
      { function: "Sentry\\capture", abs_path: "/var/www/vendor/sentry/sentry/src/f.php", in_app: false },
    ],
    ["main"],
  ],
  [
    "a gem that is chosen is own",
    "ruby",
    [
      { function: "a", abs_path: "/bundle/gems/rack-2.0/lib/rack.rb", in_app: false },
      { function: "b", abs_path: "/bundle/gems/acme-1.0/lib/acme.rb", in_app: true },
      { function: "c", abs_path: "/usr/local/lib/ruby/3.1.0/set.rb", in_app: true },
    ],
    ["b"],
  ],
  [
    "Rust's SDK marks dependencies of its own as false without anybody's choice",
    "native",
    [
      { function: "shop::main", abs_path: "/srv/shop/src/main.rs", in_app: true },
      { function: "tokio::run", abs_path: "/root/.cargo/registry/src/tokio-1/run.rs", in_app: true },
      { function: "backtrace::trace", abs_path: "/root/.cargo/registry/src/backtrace-1/lib.rs", in_app: false },
      { function: "__rustc::rust_begin_unwind", in_app: true },
    ],
    ["shop::main"],
  ],
  [
    "Rust's SDK leaves marks out where in_app_include is set",
    "native",
    [
      { function: "acme::pay", abs_path: "/root/.cargo/registry/src/acme-1/lib.rs", in_app: true },
      { function: "tokio::run", abs_path: "/root/.cargo/registry/src/tokio-1/run.rs" },
    ],
    ["acme::pay"],
  ],
];

for (const [claim, platform, frames, own] of chosen) {
  ownCode(claim, () => {
    const shown = details({ platform, ...withFrames(frames) }).exceptions[0]?.frames ?? [];
    assert.equal(
      shown.filter(({ inApp }) => inApp).map((frame) => frame.function),
      own,
    );
  });
}

ownCode.run();
