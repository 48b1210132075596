//go:build tools

// Package tools pins the etcd that the tests' kube-apiserver stores into.
package tools

import _ "go.etcd.io/etcd/server/v3"
