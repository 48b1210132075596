//go:build tools

// Package tools pins the promtool that the tests run the alerts with.
package tools

import _ "github.com/prometheus/prometheus/cmd/promtool"
