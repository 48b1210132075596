"""
What schemathesis cannot know from a schema: it is told just before a request leaves. Only values
that the schema allows are replaced, so a request that was meant to be wrong stays wrong.
"""

import itertools
import os
import re

import schemathesis

OWN_KEY_ID = os.environ.get("PARLEY_OWN_KEY_ID")
#: An id of the right form that names nothing.
NOBODYS_KEY = "key_01jdn0wzave008001tbgfjpkbe"

URL = re.compile(r"^https?://(\[[0-9A-Fa-f:.]+\]|[0-9A-Za-z._-]+)(:[0-9]{1,5})?([/?#][!-~]*)?$")
SECRET = re.compile(r"^whsec_[A-Za-z0-9+/]+={0,2}$")

_number = itertools.count(1)


@schemathesis.hook
def before_call(context, case, kwargs):
    keep_own_key(case)
    if isinstance(case.query, dict) and next(_number) % 4:
        # A made-up cursor is always refused; without one there is a page to look at.
        if isinstance(case.query.get("cursor"), str):
            del case.query["cursor"]
    if case.headers is not None:
        spread_headers(case.headers)
    if isinstance(case.body, dict):
        settle_body(case.body)


def keep_own_key(case):
    """Without its own key everything after that would be 401."""
    if case.method.upper() != "DELETE" or case.operation.path != "/v1/api_keys/{id}":
        return
    if case.path_parameters.get("id") == OWN_KEY_ID:
        case.path_parameters["id"] = NOBODYS_KEY


def spread_headers(headers):
    """A key that was used is answered as it was, and a tag that was made up is always stale."""
    key = headers.get("Idempotency-Key")
    if isinstance(key, str) and re.match(r"^[!-~]{1,240}$", key) and next(_number) % 4:
        headers["Idempotency-Key"] = f"{key}-{next(_number)}"
    if "If-Match" in headers and next(_number) % 4:
        del headers["If-Match"]


def settle_body(body):
    """Rules between fields, and addresses: what OpenAPI has no words for."""
    for name, value in body.items():
        if name == "url" and isinstance(value, str) and URL.match(value):
            body[name] = f"https://example.com/{next(_number)}"
        elif name == "headers" and isinstance(value, dict):
            body[name] = {k: v for k, v in value.items() if re.match(r"^x-[a-z]+$", k)} if all(
                isinstance(v, str) for v in value.values()
            ) else value
        elif isinstance(value, dict):
            settle_body(value)
        elif isinstance(value, list):
            for item in value:
                if isinstance(item, dict):
                    settle_body(item)
    if isinstance(body.get("secret"), str) and SECRET.match(body["secret"]):
        del body["secret"]
    if isinstance(body.get("source_ids"), list) and isinstance(body.get("source_names"), list):
        del body["source_ids"]
