/**
 * Body of a sample request, and its signature with the endpoint's secret. Developers can test their program with this
 * example before real events arrive.
 */
export type Example = { body: string; signature: string };

export type Language = 'Node' | 'Python' | 'Go' | 'Java';

/**
 * Programs in four languages that check `parley-signature` (contract/deliveries.md#headers). Each reads the secret from
 * PARLEY_WEBHOOK_SECRET, checks the example and prints `valid` or `not valid`.
 */
export const SNIPPETS: Record<Language, (example: Example) => string> = {
  Node: ({ body, signature }) => `import { createHmac, timingSafeEqual } from 'node:crypto';
import { env } from 'node:process';

// rawBody: the bytes as received, before any JSON parser (Express: express.raw({ type: '*/*' })).
function isFromParley(rawBody, headers, secret) {
  const mac = createHmac('sha256', secret).update(rawBody).digest();
  return ['parley-signature', 'parley-signature-next'] // both are sent during a rotation
    .map((name) => Buffer.from(headers[name] ?? '', 'hex'))
    .some((given) => given.length === mac.length && timingSafeEqual(given, mac));
}

// An example for this endpoint.
const secret = env.PARLEY_WEBHOOK_SECRET;
const rawBody = ${literal(body)};
const headers = { 'parley-signature': ${literal(signature)} };
console.log(isFromParley(rawBody, headers, secret) ? 'valid' : 'not valid');
`,
  Python: ({ body, signature }) => `import hashlib
import hmac
import os


# raw_body: the bytes as received, before any JSON parser (Flask: request.get_data()).
def is_from_parley(raw_body: bytes, headers, secret: str) -> bool:
    mac = hmac.new(secret.encode(), raw_body, hashlib.sha256).hexdigest()
    names = ("parley-signature", "parley-signature-next")  # both are sent during a rotation
    given = [headers.get(name) or "" for name in names]
    return any(hmac.compare_digest(mac.encode(), one.encode()) for one in given)


# An example for this endpoint.
secret = os.environ["PARLEY_WEBHOOK_SECRET"]
raw_body = ${literal(body)}.encode()
headers = {"parley-signature": ${literal(signature)}}
print("valid" if is_from_parley(raw_body, headers, secret) else "not valid")
`,
  Go: ({ body, signature }) => `package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"os"
)

// rawBody: the bytes as received, before any JSON parser (io.ReadAll(request.Body)).
func isFromParley(rawBody []byte, headers http.Header, secret string) bool {
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write(rawBody)
	want := mac.Sum(nil)
	for _, name := range []string{"Parley-Signature", "Parley-Signature-Next"} { // both are sent during a rotation
		given, err := hex.DecodeString(headers.Get(name))
		if err == nil && hmac.Equal(given, want) {
			return true
		}
	}
	return false
}

// An example for this endpoint.
func main() {
	rawBody := []byte(${literal(body)})
	headers := http.Header{"Parley-Signature": {${literal(signature)}}}
	if isFromParley(rawBody, headers, os.Getenv("PARLEY_WEBHOOK_SECRET")) {
		fmt.Println("valid")
	} else {
		fmt.Println("not valid")
	}
}
`,
  Java: ({ body, signature }) => `import static java.nio.charset.StandardCharsets.UTF_8;

import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

class FromParley {
  // rawBody: the bytes as received, before any JSON parser (Spring: @RequestBody byte[]).
  static boolean isFromParley(byte[] rawBody, Map<String, String> headers, String secret) throws Exception {
    Mac mac = Mac.getInstance("HmacSHA256");
    mac.init(new SecretKeySpec(secret.getBytes(UTF_8), "HmacSHA256"));
    byte[] want = HexFormat.of().formatHex(mac.doFinal(rawBody)).getBytes(UTF_8);
    for (String name : List.of("parley-signature", "parley-signature-next")) { // both are sent during a rotation
      byte[] given = headers.getOrDefault(name, "").getBytes(UTF_8);
      if (MessageDigest.isEqual(given, want)) return true;
    }
    return false;
  }

  // An example for this endpoint.
  public static void main(String[] arguments) throws Exception {
    byte[] rawBody = ${literal(body)}.getBytes(UTF_8);
    Map<String, String> headers = Map.of("parley-signature", ${literal(signature)});
    String secret = System.getenv("PARLEY_WEBHOOK_SECRET");
    System.out.println(isFromParley(rawBody, headers, secret) ? "valid" : "not valid");
  }
}
`,
};

/**
 * Returns a string literal that is valid in all four languages, which share JSON's escapes. Characters outside ASCII
 * are not escaped, because only some of the languages accept JSON's surrogate pairs.
 */
function literal(text: string): string {
  return JSON.stringify(text);
}
