// A minimal, safe webhook receiver. It reads the raw body, verifies the signature and then responds with 2xx.
//
//	SECRET=whsec_… go run examples/receiver.go        listens on http://localhost:3000
//
// Needs no packages.
package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"sync"
)

type event struct {
	ID   string          `json:"id"`
	Type string          `json:"type"`
	Data json.RawMessage `json:"data"`
}

var (
	secret = []byte(os.Getenv("SECRET"))
	seen   sync.Map // In your code, use a table with the event's ID as its key.
)

func main() {
	if len(secret) == 0 {
		log.Fatal("SECRET is not set. With an empty secret, anybody could sign.")
	}
	port := os.Getenv("PORT")
	if port == "" {
		port = "3000"
	}
	listener, err := net.Listen("tcp", net.JoinHostPort("localhost", port))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("listening on http://localhost:%s\n", port)
	log.Fatal(http.Serve(listener, http.HandlerFunc(receive)))
}

func receive(w http.ResponseWriter, r *http.Request) {
	// Keeps the original bytes for the signature, because parsing would change them.
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 1<<20))
	if err != nil || !isGenuine(body, r.Header) {
		w.WriteHeader(http.StatusUnauthorized)
		return
	}
	w.WriteHeader(http.StatusNoContent) // Responds before any slow work, because the limit is 10 s.
	go handle(body)
}

func handle(body []byte) {
	var e event
	if err := json.Unmarshal(body, &e); err != nil {
		log.Print(err)
		return
	}
	if _, again := seen.LoadOrStore(e.ID, true); again {
		return // Delivery is at least once, so an event can arrive twice.
	}
	fmt.Println(e.Type, e.ID, string(e.Data))
}

// isGenuine checks parley-signature, the lower-case hex HMAC-SHA256 of the raw body, keyed with the
// secret exactly as Parley shows it. While a secret is being replaced, parley-signature-next is the
// signature with the new secret. A receiver accepts either signature, so you can change its secret
// at any time during the overlap.
func isGenuine(body []byte, header http.Header) bool {
	mac := hmac.New(sha256.New, secret)
	mac.Write(body)
	expected := []byte(hex.EncodeToString(mac.Sum(nil)))
	for _, name := range []string{"parley-signature", "parley-signature-next"} {
		if hmac.Equal(expected, []byte(header.Get(name))) {
			return true
		}
	}
	return false
}
