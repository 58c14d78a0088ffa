# Does what the get-started page shows; test/unit/console/snippets.test.ts keeps the two equal.
# snippet: start
require "sentry-ruby"

Sentry.init do |config|
  config.dsn = ENV.fetch("FAULTLINE_TEST_DSN")
end
# snippet: identify
Sentry.set_user(id: "42")
# snippet: test
Sentry.capture_exception(RuntimeError.new("Test from Faultline"))
# snippet: end
Sentry.background_worker.shutdown
