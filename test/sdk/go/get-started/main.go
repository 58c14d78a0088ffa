// Does what the get-started page shows; test/unit/console/snippets.test.ts keeps the two equal.
package main

import (
	"errors"
	"log"
	"os"
	"time"

	"github.com/getsentry/sentry-go"
)

func main() {
	// snippet: start
	err := sentry.Init(sentry.ClientOptions{
		Dsn:   os.Getenv("FAULTLINE_TEST_DSN"),
		Debug: true,
	})
	if err != nil {
		log.Fatalf("sentry.Init: %s", err)
	}
	defer sentry.Flush(2 * time.Second)
	// snippet: identify
	sentry.ConfigureScope(func(scope *sentry.Scope) {
		scope.SetUser(sentry.User{ID: "42"})
	})
	// snippet: test
	sentry.CaptureException(errors.New("Test from Faultline"))
	// snippet: end
}
