# Meets the limits of Faultline with sentry-ruby; test/sdk/limits.ts asserts how it goes on.
require "sentry-ruby"

Sentry.init do |config|
  config.dsn = ENV.fetch("FAULTLINE_TEST_DSN")
  config.background_worker_threads = 0
end

def send_event(name)
  Sentry.with_scope do |scope|
    scope.set_tags(case: name)
    Sentry.capture_message(name)
  end
end

%w[limited-1 limited-2 limited-3].each { |name| send_event(name) }
sleep 2.5
send_event("after-429")
