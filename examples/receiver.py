"""The smallest receiver that is safe: it reads the raw body, verifies, then answers 2xx.

    SECRET=whsec_... python3 examples/receiver.py        listens on http://localhost:3000

No packages needed, any Python from 3.8 on.
"""

import hashlib
import hmac
import json
import os
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

SECRET = os.environ.get("SECRET", "")
PORT = int(os.environ.get("PORT", "3000"))

seen = set()  # In your code: a table whose key is the event's id.
seen_lock = threading.Lock()


def is_genuine(body, headers):
    """parley-signature: lower-case hex HMAC-SHA256 of the raw body, keyed with the secret as shown.

    While a secret is being replaced, parley-signature-next is made with the new one: a receiver
    that has either of the two accepts, so that it can be changed at any time of the overlap.
    """
    expected = hmac.new(SECRET.encode(), body, hashlib.sha256).hexdigest().encode()
    given = (headers.get(name, "") for name in ("parley-signature", "parley-signature-next"))
    return any(hmac.compare_digest(expected, signature.encode()) for signature in given)


class Receiver(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"  # Connections are used again.

    def do_POST(self):
        # The bytes as they came: parsing first would change them.
        body = self.rfile.read(int(self.headers.get("content-length", 0)))
        if not is_genuine(body, self.headers):
            self.answer(401)
            return
        self.answer(204)  # Within 10 s, so before any slow work.
        event = json.loads(body)
        with seen_lock:
            if event["id"] in seen:  # At least once means: sometimes twice.
                return
            seen.add(event["id"])
        print(event["type"], event["id"], event["data"], flush=True)

    def answer(self, status):
        self.send_response(status)
        if status != 204:
            self.send_header("content-length", "0")
        self.end_headers()
        self.wfile.flush()

    def log_message(self, *_):
        """Only events are printed."""


if not SECRET:
    raise SystemExit("SECRET is not set: whoever knows an empty one could sign")
server = ThreadingHTTPServer(("localhost", PORT), Receiver)
print(f"listening on http://localhost:{server.server_port}", flush=True)
server.serve_forever()
