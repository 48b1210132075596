// The smallest receiver that is safe: it reads the raw body, verifies, then answers 2xx.
//
//	SECRET=whsec_… go run examples/receiver.go        listens on http://localhost:3000
//
// No packages needed.
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
	seen   sync.Map // In your code: a table whose key is the event's id.
)

func main() {
	if len(secret) == 0 {
		log.Fatal("SECRET is not set: whoever knows an empty one could sign")
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
	// The bytes as they came: parsing first would change them.
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 1<<20))
	if err != nil || !isGenuine(body, r.Header) {
		w.WriteHeader(http.StatusUnauthorized)
		return
	}
	w.WriteHeader(http.StatusNoContent) // Within 10 s, so before any slow work.
	go handle(body)
}

func handle(body []byte) {
	var e event
	if err := json.Unmarshal(body, &e); err != nil {
		log.Print(err)
		return
	}
	if _, again := seen.LoadOrStore(e.ID, true); again {
		return // At least once means: sometimes twice.
	}
	fmt.Println(e.Type, e.ID, string(e.Data))
}

// parley-signature: lower-case hex HMAC-SHA256 of the raw body, keyed with the secret as shown.
// While a secret is being replaced, parley-signature-next is made with the new one: a receiver
// that has either of the two accepts, so that it can be changed at any time of the overlap.
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
