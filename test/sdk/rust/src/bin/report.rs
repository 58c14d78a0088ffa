//! Reports with sentry what test/sdk/features.ts asserts.

use sentry::protocol::Map;
use sentry::{ClientOptions, Level, Scope, User};
use std::{env, error::Error, fmt};

#[derive(Debug)]
struct CardError;

impl fmt::Display for CardError {
    fn fmt(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        write!(formatter, "unknown card")
    }
}

impl Error for CardError {}

#[derive(Debug)]
struct PaymentError {
    cause: CardError,
}

impl fmt::Display for PaymentError {
    fn fmt(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        write!(formatter, "payment refused")
    }
}

impl Error for PaymentError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        Some(&self.cause)
    }
}

fn charge() -> Result<(), PaymentError> {
    Err(PaymentError { cause: CardError })
}

/// Runs `report` in a scope of its own whose events are found by the tag `case`.
fn in_case<T>(name: &str, configure: impl FnOnce(&mut Scope), report: impl FnOnce() -> T) -> T {
    let with_tag = |scope: &mut Scope| {
        scope.set_tag("case", name);
        configure(scope);
    };
    sentry::with_scope(with_tag, report)
}

fn message(name: &str, text: &str, configure: impl FnOnce(&mut Scope)) {
    in_case(name, configure, || sentry::capture_message(text, Level::Info));
}

fn levels() {
    for (name, level) in [
        ("debug", Level::Debug),
        ("info", Level::Info),
        ("warning", Level::Warning),
        ("error", Level::Error),
        ("fatal", Level::Fatal),
    ] {
        in_case(&format!("level-{name}"), |_| {}, || {
            sentry::capture_message(&format!("level {name}"), level)
        });
    }
}

fn users() {
    let users = [
        ("id", User { id: Some("4711".into()), ..User::default() }),
        ("username", User { username: Some("ann".into()), ..User::default() }),
        ("email", User { email: Some("ann@shop.example".into()), ..User::default() }),
        ("ip", User { ip_address: Some("203.0.113.7".parse().unwrap()), ..User::default() }),
    ];
    for (form, user) in users {
        message(&format!("user-{form}"), &format!("user by {form}"), |scope| {
            scope.set_user(Some(user))
        });
    }
}

fn main() {
    let mut options = ClientOptions::default();
    options.release = Some("shop@1.2.3".into());
    options.environment = Some("staging".into());
    options.auto_session_tracking = true;
    let _flushes_when_dropped = sentry::init((env::var("FAULTLINE_TEST_DSN").unwrap(), options));

    in_case("handled", |scope| scope.set_tag("region", "eu-west"), || {
        sentry::capture_error(&charge().unwrap_err())
    });
    levels();
    users();
    message("fingerprint-1", "the till is empty", |scope| scope.set_fingerprint(Some(&["till"])));
    message("fingerprint-2", "its drawer is stuck", |scope| scope.set_fingerprint(Some(&["till"])));
    let parts: Map<String, _> = (0..50)
        .map(|part| (format!("part-{part:02}"), "x".repeat(4000).into()))
        .collect();
    message("large", "a large event", |scope| {
        for (name, value) in parts {
            scope.set_extra(&name, value);
        }
    });
    message("unicode", "before\0after naïve 漢字 🙂", |_| {});

    sentry::configure_scope(|scope| scope.set_tag("case", "unhandled"));
    panic!("the till fell down");
}
