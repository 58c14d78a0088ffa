# Reports with sentry-ruby what test/sdk/report-features.ts asserts.
require "sentry-ruby"

Sentry.init do |config|
  config.dsn = ENV.fetch("FAULTLINE_TEST_DSN")
  config.release = "shop@1.2.3"
  config.environment = "staging"
  config.background_worker_threads = 0
  config.send_default_pii = true
end

class PaymentError < StandardError; end

def find_card
  raise IndexError, "unknown card"
rescue IndexError => error
  error
end

def charge
  raise PaymentError, "payment refused", cause: find_card
end

def message(name, text, level: :info, &configure)
  Sentry.with_scope do |scope|
    scope.set_tags(case: name)
    configure&.call(scope)
    Sentry.capture_message(text, level: level)
  end
end

2.times { Sentry.with_session_tracking {} } # as a web framework does for each request
Sentry.session_flusher.flush

begin
  charge
rescue PaymentError => error
  Sentry.with_scope do |scope|
    scope.set_tags(case: "handled", region: "eu-west")
    Sentry.capture_exception(error)
  end
end

%w[debug info warning error fatal].each { |level| message("level-#{level}", "level #{level}", level: level.to_sym) }

message("user-id", "user by id") { |scope| scope.set_user(id: "4711") }
message("user-username", "user by username") { |scope| scope.set_user(username: "ann") }
message("user-email", "user by email") { |scope| scope.set_user(email: "ann@shop.example") }
message("user-ip", "user by ip") { |scope| scope.set_user(ip_address: "203.0.113.7") }
message("fingerprint-1", "the till is empty") { |scope| scope.set_fingerprint(["till"]) }
message("fingerprint-2", "its drawer is stuck") { |scope| scope.set_fingerprint(["till"]) }
# The SDK drops events above 200 KiB itself, so 45 texts and not 50.
message("large", "a large event") { |scope| 45.times { |part| scope.set_extra(format("part-%02d", part), "x" * 4000) } }
message("unicode", "before\0after naïve 漢字 🙂")

# This SDK has no hook for what ends a program.
at_exit do
  Sentry.configure_scope { |scope| scope.set_tags(case: "unhandled") }
  Sentry.capture_exception($!)
end
raise "the till fell down"
