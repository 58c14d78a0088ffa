# Does what the get-started page shows; test/unit/console/snippets.test.ts keeps the two equal.
require "action_controller/railtie"
require "sentry-rails"

class Shop < Rails::Application
  config.eager_load = false
  config.secret_key_base = "faultline-test" * 4
  config.hosts.clear
  config.logger = Logger.new($stdout)
end

# snippet: start
# config/initializers/sentry.rb
Sentry.init do |config|
  config.dsn = ENV.fetch("FAULTLINE_TEST_DSN")
end
# snippet: end
class ApplicationController < ActionController::Base
  before_action :identify

  def identify
    # snippet: identify
    # in a before_action
    Sentry.set_user(id: "42")
    # snippet: end
  end
end

# snippet: test
# config/routes.rb: get "faultline-test", to: "faultline_test#show"
class FaultlineTestController < ApplicationController
  def show
    raise "Test from Faultline"
  end
end
# snippet: end
Shop.initialize!
Shop.routes.draw { get "faultline-test", to: "faultline_test#show" }
Shop.call(Rack::MockRequest.env_for("/faultline-test"))
Sentry.background_worker.shutdown
