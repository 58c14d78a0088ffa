// Reports with sentry-go what test/sdk/features.ts asserts.
package main

import (
	"errors"
	"fmt"
	"log"
	"os"
	"strings"
	"time"

	"github.com/getsentry/sentry-go"
)

type paymentError struct{ cause error }

func (*paymentError) Error() string   { return "payment refused" }
func (e *paymentError) Unwrap() error { return e.cause }

// charge reports an error. This SDK takes the stack from where it is called.
func charge(hub *sentry.Hub) {
	hub.CaptureException(&paymentError{cause: errors.New("unknown card")})
}

// message reports a text in a scope of its own; its event is found by the tag `case`.
func message(name, text string, configure func(*sentry.Scope)) {
	sentry.WithScope(func(scope *sentry.Scope) {
		scope.SetTag("case", name)
		configure(scope)
		sentry.CaptureMessage(text)
	})
}

func levels() {
	for _, level := range []sentry.Level{
		sentry.LevelDebug, sentry.LevelInfo, sentry.LevelWarning, sentry.LevelError, sentry.LevelFatal,
	} {
		message(fmt.Sprintf("level-%s", level), fmt.Sprintf("level %s", level), func(scope *sentry.Scope) {
			scope.SetLevel(level)
		})
	}
}

func users() {
	for form, user := range map[string]sentry.User{
		"id":       {ID: "4711"},
		"username": {Username: "ann"},
		"email":    {Email: "ann@shop.example"},
		"ip":       {IPAddress: "203.0.113.7"},
	} {
		message("user-"+form, "user by "+form, func(scope *sentry.Scope) { scope.SetUser(user) })
	}
}

// fall panics. This SDK has no hook of its own: the program recovers, as its documentation says.
func fall() {
	defer func() {
		sentry.ConfigureScope(func(scope *sentry.Scope) { scope.SetTag("case", "unhandled") })
		sentry.CurrentHub().Recover(recover())
	}()
	panic(errors.New("the till fell down"))
}

func main() {
	if err := sentry.Init(sentry.ClientOptions{
		Dsn:         os.Getenv("FAULTLINE_TEST_DSN"),
		Release:     "shop@1.2.3",
		Environment: "staging",
	}); err != nil {
		log.Fatal(err)
	}

	hub := sentry.CurrentHub().Clone()
	hub.Scope().SetTag("case", "handled")
	hub.Scope().SetTag("region", "eu-west")
	charge(hub)
	levels()
	users()
	fingerprint := func(scope *sentry.Scope) { scope.SetFingerprint([]string{"till"}) }
	message("fingerprint-1", "the till is empty", fingerprint)
	message("fingerprint-2", "its drawer is stuck", fingerprint)
	parts := map[string]interface{}{}
	for part := 0; part < 50; part++ {
		parts[fmt.Sprintf("part-%02d", part)] = strings.Repeat("x", 4000)
	}
	message("large", "a large event", func(scope *sentry.Scope) { scope.SetContext("large", parts) })
	message("unicode", "before\x00after naïve 漢字 🙂", func(*sentry.Scope) {})
	fall()

	if !sentry.Flush(20 * time.Second) {
		log.Fatal("not everything was sent")
	}
}
