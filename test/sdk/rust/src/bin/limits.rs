//! Meets the limits of Faultline with sentry; test/sdk/limits.ts asserts how it goes on.

use sentry::{ClientOptions, Hub, Level};
use std::{env, thread, time::Duration};

fn send(name: &str, parts: usize) {
    let configure = |scope: &mut sentry::Scope| {
        scope.set_tag("case", name);
        for part in 0..parts {
            scope.set_extra(&format!("part-{part}"), "x".repeat(4000).into());
        }
    };
    sentry::with_scope(configure, || sentry::capture_message(name, Level::Info));
    Hub::current().client().unwrap().flush(Some(Duration::from_secs(5)));
}

fn main() {
    let _guard = sentry::init((env::var("FAULTLINE_TEST_DSN").unwrap(), ClientOptions::default()));

    send("too-large", 300);
    send("after-413", 0);
    for name in ["limited-1", "limited-2", "limited-3"] {
        send(name, 0);
    }
    thread::sleep(Duration::from_millis(2500));
    send("after-429", 0);
}
