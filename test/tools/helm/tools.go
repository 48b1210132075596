//go:build tools

// Package tools pins the helm that the tests render the chart with.
package tools

import _ "helm.sh/helm/v4/cmd/helm"
