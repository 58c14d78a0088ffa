//! Does what the get-started page shows; test/unit/console/snippets.test.ts keeps the two equal.

use std::env;

fn main() {
    // snippet: start
    let mut options = sentry::ClientOptions::default();
    options.debug = true;
    let _guard = sentry::init((env::var("FAULTLINE_TEST_DSN").unwrap(), options));
    // snippet: identify
    sentry::configure_scope(|scope| {
        scope.set_user(Some(sentry::User {
            id: Some("42".to_owned()),
            ..Default::default()
        }));
    });
    // snippet: test
    sentry::capture_error(&std::io::Error::new(std::io::ErrorKind::Other, "Test from Faultline"));
    // snippet: end
}
