"""A minimal, safe webhook receiver: reads the raw body, verifies the signature, then responds.

    SECRET=whsec_... python3 examples/receiver.py        listens on http://localhost:3000

Needs Python 3.8 or newer and no packages.
"""

import hashlib
import hmac
import json
import os
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

SECRET = os.environ.get("SECRET", "")
PORT = int(os.environ.get("PORT", "3000"))

seen = set()  # In your code, use a table with the event's ID as its key.
seen_lock = threading.Lock()


def is_genuine(body, headers):
    """Checks parley-signature, the lower-case hex HMAC-SHA256 of the raw body.

    The key is the secret exactly as Parley shows it. While a secret is being replaced,
    parley-signature-next is the signature with the new secret. A receiver accepts either signature,
    so you can change its secret at any time during the overlap.
    """
    expected = hmac.new(SECRET.encode(), body, hashlib.sha256).hexdigest().encode()
    given = (headers.get(name, "") for name in ("parley-signature", "parley-signature-next"))
    return any(hmac.compare_digest(expected, signature.encode()) for signature in given)


class Receiver(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"  # Allows connections to be reused.

    def do_POST(self):
        # Keeps the original bytes for the signature, because parsing would change them.
        body = self.rfile.read(int(self.headers.get("content-length", 0)))
        if not is_genuine(body, self.headers):
            self.answer(401)
            return
        self.answer(204)  # Responds before any slow work, because the limit is 10 s.
        event = json.loads(body)
        with seen_lock:
            if event["id"] in seen:  # Delivery is at least once, so an event can arrive twice.
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
        """Does nothing, so that only events are printed."""


if not SECRET:
    raise SystemExit("SECRET is not set. With an empty secret, anybody could sign.")
server = ThreadingHTTPServer(("localhost", PORT), Receiver)
print(f"listening on http://localhost:{server.server_port}", flush=True)
server.serve_forever()
