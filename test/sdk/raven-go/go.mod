module faultline.example/raven

go 1.20

require github.com/getsentry/raven-go v0.2.0

require (
	github.com/certifi/gocertifi v0.0.0-20210507211836-431795d63e8d // indirect
	github.com/pkg/errors v0.9.1 // indirect
)
