"""
What schemathesis cannot know from a schema is put in just before a request leaves. Only values
that the schema allows are replaced, so a request that was meant to be wrong stays wrong.
"""

import functools
import itertools
import json
import os
import random
import re
import socket
import time
import urllib.error
import urllib.request

import schemathesis

URL = os.environ["PARLEY_URL"]
KEY = os.environ["PARLEY_KEY"]
#: The id of that key.
KEY_ID = os.environ["PARLEY_KEY_ID"]
#: An id of the right form that names nothing.
NOBODYS_KEY = "key_01jdn0wzave008001tbgfjpkbe"

HTTP_URL = re.compile(r"^https?://(\[[0-9A-Fa-f:.]+\]|[0-9A-Za-z._-]+)(:[0-9]{1,5})?([/?#][!-~]*)?$")
SECRET = re.compile(r"^whsec_[A-Za-z0-9+/]+={0,2}$")

_number = itertools.count(1)


@schemathesis.hook
def before_load_schema(context, raw_schema):
    """
    In OpenAPI 3.1 the schema of an event stream is that of its text, as a whole; schemathesis holds
    each event against it, as 3.2 does with `itemSchema`.
    """
    for path in raw_schema["paths"].values():
        for operation in path.values():
            for answer in operation.get("responses", {}).values() if isinstance(operation, dict) else ():
                answer.get("content", {}).get("text/event-stream", {}).pop("schema", None)


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
    prepare = PREPARED.get(f"{case.method.upper()} {case.operation.path}")
    # By chance: what counts calls would always fall on the same of two that take turns.
    if prepare is not None and has_right_id(case) and random.random() < 0.5:
        prepare(case)


def has_right_id(case):
    """Or needs none."""
    given = (case.path_parameters or {}).get("id")
    return given is None or re.match(r"^[a-z]+_[0-9a-hjkmnp-tv-z]{26}$", str(given)) is not None


def keep_own_key(case):
    """Without its own key everything after that would be 401."""
    if not case.operation.path.startswith("/v1/api_keys/{id}") or case.method.upper() == "GET":
        return
    if case.path_parameters.get("id") == KEY_ID:
        case.path_parameters["id"] = NOBODYS_KEY


def spread_headers(headers):
    """
    A key that was used is answered as it was, though what it made may be gone since; and a tag that
    was made up is always stale.
    """
    key = headers.get("Idempotency-Key")
    if isinstance(key, str) and re.match(r"^[!-~]{1,240}$", key):
        headers["Idempotency-Key"] = f"{key}-{next(_number)}"
    if "If-Match" in headers and next(_number) % 4:
        del headers["If-Match"]


def settle_body(body):
    """Rules between fields, addresses and times: what OpenAPI has no words for."""
    for name, value in list(body.items()):
        if name in ("url", "base_url") and isinstance(value, str) and HTTP_URL.match(value):
            body[name] = f"https://example.com/{next(_number)}"
        elif name == "headers" and isinstance(value, dict):
            if all(isinstance(header, str) for header in value.values()):
                body[name] = {k: v for k, v in value.items() if re.match(r"^x-[a-z]+$", k)}
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
    if type(body.get("since")) is int and body["since"] >= 0 and next(_number) % 4:
        body["since"] = int(time.time()) - 60
        if type(body.get("until")) is int:
            del body["until"]


# Sequences that chance finds too rarely. Each makes what the request is about, and names it.


def two_versions(case):
    """Something to go back to."""
    agent = make("/v1/agents", {"prompt": "first"})
    ask("PATCH", f"/v1/agents/{agent}", {"prompt": "second"})
    case.path_parameters["id"] = agent
    if isinstance(case.body, dict):
        case.body.pop("version", None)


def active(case):
    """A conversation that has not ended, with an agent that knows nothing."""
    agent = make("/v1/agents", {"prompt": "first"})
    case.path_parameters["id"] = make("/v1/conversations", {"agent_id": agent})


def talked(case):
    """A talk with an agent that is there, in no conversation that is not."""
    if isinstance(case.body, dict):
        case.body["model"] = make("/v1/agents", {"prompt": "first"})
        # What a schema does not say: who speaks last, and what only nothing is taken of.
        case.body["messages"] = [{"role": "user", "content": f"Number {next(_number)}?"}]
        for name in NOT_TAKEN:
            case.body.pop(name, None)


NOT_TAKEN = "metadata tools tool_choice functions function_call audio logprobs stream_options".split()


def modelled(case):
    case.path_parameters["model"] = make("/v1/agents", {"prompt": "first"})


def provided(case):
    case.path_parameters["id"] = make("/v1/model_providers", {"base_url": "https://example.com/v1"})


def carried(case):
    secret = {"name": "carrier", "key": "token"}
    fields = {"type": "twilio", "account_id": "AC1", "auth_token_secret_ref": secret}
    case.path_parameters["id"] = make("/v1/telephony_providers", fields)


def requested(case):
    """A human is asked for."""
    active(case)
    path = f"/v1/conversations/{case.path_parameters['id']}/escalate"
    case.path_parameters["id"] = make(path, {})


def detected(case):
    """Something was asked that nothing answers."""
    active(case)
    path = f"/v1/conversations/{case.path_parameters['id']}/messages"
    ask("POST", path, {"text": f"Where is number {next(_number)} made?"})
    case.path_parameters["id"] = ask("GET", "/v1/knowledge/gaps?status=open")["data"][0]["id"]


def answered(case):
    """A gap that is closed, with an answer."""
    detected(case)
    path = f"/v1/knowledge/gaps/{case.path_parameters['id']}/resolve"
    ask("POST", path, {"answer": f"In hall {next(_number)}."})


def textual(case):
    """A source whose content is there."""
    case.path_parameters["id"] = make("/v1/knowledge/sources", {"type": "text", "text": "Nine."})


def accepted(case):
    """A human is there."""
    requested(case)
    path = f"/v1/escalations/{case.path_parameters['id']}/accept"
    ask("POST", path, {"accepted_by": {"id": "u1", "name": "Ada"}})


def running(case):
    """A job whose receiver keeps everybody waiting."""
    case.path_parameters["id"] = make(
        f"/v1/webhooks/{silent_endpoint()}/replay", {"since": int(time.time()) - 3600, "mode": "all"}
    )


def waiting(case):
    """A delivery that nobody acknowledged yet."""
    events = f"/v1/webhooks/{silent_endpoint()}/deliveries?status=pending"
    case.path_parameters["id"] = ask("GET", events)["data"][0]["id"]


def this_month(case):
    """An hour of which there is a digest, and an endpoint that is there."""
    hour = case.query.get("hour") if isinstance(case.query, dict) else None
    if isinstance(hour, (int, str)) and re.match(r"^[0-9]{1,12}$", str(hour)) and int(hour) % 3600 == 0:
        case.query["hour"] = int(time.time()) // 3600 * 3600 - random.randrange(24) * 3600
        case.path_parameters["id"] = silent_endpoint()


def compared(case):
    """What was sent a minute ago, a few at a time: with `replay` they are sent again."""
    case.path_parameters["id"] = silent_endpoint()
    if isinstance(case.body, dict):
        if type(case.body.get("limit", 1)) is int and 0 < case.body.get("limit", 1) <= 1_000:
            case.body["limit"] = 5


def in_lines(case):
    """The other form of the list, which has no pages."""
    headers = {} if case.headers is None else case.headers
    case.headers = {**headers, "Accept": "application/x-ndjson"}


def canceled(case):
    """Erased with its deliveries."""
    active(case)
    if isinstance(case.query, dict) and case.query.get("events") == "deliver":
        case.query["events"] = "cancel"


def silent_endpoint():
    """Made again when something the document allows has deleted or disabled it."""
    try:
        if ask("GET", f"/v1/webhooks/{_silent()}")["enabled"]:
            return _silent()
    except urllib.error.HTTPError as error:
        if error.code != 404:
            raise
    _silent.cache_clear()
    return _silent()


@functools.cache
def _silent():
    """Takes connections and never answers; with more events than go out to one receiver at once."""
    listener = socket.create_server(("127.0.0.1", 0), backlog=1_000)
    _open.append(listener)
    url = f"http://127.0.0.1:{listener.getsockname()[1]}/"
    endpoint = make("/v1/webhooks", {"url": url})
    for _ in range(200):
        ask("POST", f"/v1/webhooks/{endpoint}/test", {})
    return endpoint


_open = []

PREPARED = {
    "POST /v1/agents/{id}/rollback": two_versions,
    "POST /v1/conversations/{id}/messages": active,
    "POST /v1/chat/completions": talked,
    "GET /v1/models/{model}": modelled,
    "GET /v1/model_providers/{id}": provided,
    "PATCH /v1/model_providers/{id}": provided,
    "DELETE /v1/model_providers/{id}": provided,
    "GET /v1/telephony_providers/{id}": carried,
    "PATCH /v1/telephony_providers/{id}": carried,
    "DELETE /v1/telephony_providers/{id}": carried,
    "POST /v1/escalations/{id}/accept": requested,
    "POST /v1/escalations/{id}/decline": requested,
    "POST /v1/escalations/{id}/complete": accepted,
    "POST /v1/escalations/{id}/messages": accepted,
    "PATCH /v1/conversations/{id}": active,
    "DELETE /v1/conversations/{id}": canceled,
    "GET /v1/conversations": in_lines,
    "POST /v1/deliveries/{id}/retry": waiting,
    "GET /v1/jobs/{id}": running,
    "DELETE /v1/jobs/{id}": running,
    "GET /v1/webhooks/{id}/digest": this_month,
    "POST /v1/webhooks/{id}/reconcile": compared,
    "GET /v1/knowledge/gaps/{id}": detected,
    "POST /v1/knowledge/gaps/{id}/resolve": detected,
    "PATCH /v1/knowledge/gaps/{id}": answered,
    "DELETE /v1/knowledge/gaps/{id}/answer": answered,
    "POST /v1/knowledge/sources/{id}/sync": textual,
}


def make(path, body):
    return ask("POST", path, body)["id"]


def ask(method, path, body=None):
    request = urllib.request.Request(
        URL + path,
        method=method,
        data=None if body is None else json.dumps(body).encode(),
        headers={"Authorization": f"Bearer {KEY}", "Content-Type": "application/json"},
    )
    with urllib.request.urlopen(request) as answer:
        return json.load(answer)
