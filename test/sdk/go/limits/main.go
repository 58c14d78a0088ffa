// Meets the limits of Faultline with sentry-go; test/sdk/limits.ts asserts how it goes on.
package main

import (
	"fmt"
	"log"
	"os"
	"strings"
	"time"

	"github.com/getsentry/sentry-go"
)

func send(name string, parts map[string]interface{}) {
	sentry.WithScope(func(scope *sentry.Scope) {
		scope.SetTag("case", name)
		scope.SetContext("large", parts)
		sentry.CaptureMessage(name)
	})
	sentry.Flush(5 * time.Second)
}

func main() {
	if err := sentry.Init(sentry.ClientOptions{Dsn: os.Getenv("FAULTLINE_TEST_DSN")}); err != nil {
		log.Fatal(err)
	}

	parts := map[string]interface{}{}
	for part := 0; part < 300; part++ {
		parts[fmt.Sprintf("part-%d", part)] = strings.Repeat("x", 4000)
	}
	send("too-large", parts)
	send("after-413", nil)
	for _, name := range []string{"limited-1", "limited-2", "limited-3"} {
		send(name, nil)
	}
	time.Sleep(2500 * time.Millisecond)
	send("after-429", nil)
}
