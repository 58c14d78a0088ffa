// Reports with raven-go, which GitLab Runner uses, what test/sdk/raven-go/language.ts asserts.
package main

import (
	"fmt"
	"log"
	"os"
	"strings"

	"github.com/getsentry/raven-go"
)

// paymentError is long enough that the SDK compresses its event.
type paymentError struct{}

func (*paymentError) Error() string { return "payment refused: " + strings.Repeat("x", 1000) }

func charge() *raven.Exception {
	return raven.NewException(&paymentError{}, raven.NewStacktrace(0, 3, []string{"main"}))
}

// send reports a packet and fails unless it is answered with exactly 200.
func send(dsn, name string, packet *raven.Packet) {
	client, err := raven.New(dsn)
	if err != nil {
		log.Fatal(err)
	}
	client.SetRelease("shop@1.2.3")
	client.SetEnvironment("staging")
	_, answered := client.Capture(packet, map[string]string{"case": name})
	if err := <-answered; err != nil {
		log.Fatal(err)
	}
}

func main() {
	legacy := os.Getenv("FAULTLINE_TEST_LEGACY_DSN")
	message := raven.NewPacket("the till is empty", &raven.User{ID: "4711"})
	message.Level = raven.WARNING
	send(legacy, "short", message)
	send(legacy, "long", raven.NewPacket("payment refused", charge()))
	send(os.Getenv("FAULTLINE_TEST_DSN"), "without-secret", raven.NewPacket("no secret"))
	fmt.Println("all were answered 200")
}
