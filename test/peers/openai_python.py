"""The `openai` package for Python, as it is published."""

import json
import os
import traceback
import urllib.request

import openai

URL, KEY, AGENT = (os.environ[name] for name in ("PARLEY_URL", "PARLEY_KEY", "PARLEY_AGENT"))
CLERK, BROKEN, READER = (
    os.environ[name] for name in ("PARLEY_CLERK", "PARLEY_BROKEN", "PARLEY_READER_KEY")
)
QUESTIONS = ["When do you deliver?", "And how can I return something?", "When is the shop open?"]
client = openai.OpenAI(base_url=f"{URL}/v1", api_key=KEY)


def check(name, work):
    try:
        work()
        print(f"ok {name}", flush=True)
    except Exception:
        reason = traceback.format_exc().replace("\n", " | ")
        print(f"not ok {name}: {reason}", flush=True)


def get(path):
    request = urllib.request.Request(URL + path, headers={"authorization": f"Bearer {KEY}"})
    with urllib.request.urlopen(request) as response:
        return json.load(response)


def expect_one_conversation(user, turns):
    found = get(f"/v1/conversations?user_id={user}")["data"]
    assert len(found) == 1, f"{len(found)} conversations of {user}"
    transcript = get(f"/v1/conversations/{found[0]['id']}/transcript")
    said = [[turn["role"], turn["text"]] for turn in transcript["turns"]]
    assert said == turns, said


def said(messages):
    return [["user" if m["role"] == "user" else "agent", m["content"]] for m in messages]


def models():
    assert AGENT in [model.id for model in client.models.list()]
    assert client.models.retrieve(f"{AGENT}@1").id == f"{AGENT}@1"


def three_turns():
    messages = []
    for content in QUESTIONS:
        messages.append({"role": "user", "content": content})
        completion = client.chat.completions.create(model=AGENT, messages=messages, user="python")
        assert completion.choices[0].finish_reason == "stop"
        assert completion.usage.total_tokens > 0
        messages.append({"role": "assistant", "content": completion.choices[0].message.content})
    expect_one_conversation("python", said(messages))


def three_turns_streamed():
    messages = []
    for content in QUESTIONS:
        messages.append({"role": "user", "content": content})
        chunks = client.chat.completions.create(
            model=AGENT, messages=messages, user="python-stream", stream=True
        )
        reply = "".join(chunk.choices[0].delta.content or "" for chunk in chunks)
        messages.append({"role": "assistant", "content": reply})
    expect_one_conversation("python-stream", said(messages))


def tools_run_here():
    """Streams an agent that calls a tool on our side: three turns, one conversation."""
    messages = []
    for content in ["Where is T-1002?", "And T-1003?", "Thank you!"]:
        messages.append({"role": "user", "content": content})
        chunks = client.chat.completions.create(
            model=CLERK, messages=messages, user="python-clerk", stream=True
        )
        deltas = [chunk.choices[0].delta for chunk in chunks]
        assert not any(delta.tool_calls for delta in deltas)
        reply = "".join(delta.content or "" for delta in deltas)
        messages.append({"role": "assistant", "content": reply})
    assert "on its way" in messages[1]["content"], messages
    found = get("/v1/conversations?user_id=python-clerk")["data"]
    assert len(found) == 1, f"{len(found)} conversations"
    turns = get(f"/v1/conversations/{found[0]['id']}/transcript")["turns"]
    roles = [turn["role"] for turn in turns]
    assert roles == ["user", "tool", "agent"] * 2 + ["user", "agent"], roles


def failures():
    once = openai.OpenAI(base_url=f"{URL}/v1", api_key=KEY, max_retries=0)
    raises(openai.InternalServerError, "model_unauthorized", by=once, model=BROKEN)
    reader = openai.OpenAI(base_url=f"{URL}/v1", api_key=READER)
    assert AGENT in [model.id for model in reader.models.list()]
    raises(openai.PermissionDeniedError, "missing_scope", by=reader)


def raises(kind, code, **fields):
    by = fields.pop("by", client)
    body = {"model": AGENT, "messages": [{"role": "user", "content": "Hi"}], **fields}
    try:
        by.chat.completions.create(**body)
    except kind as error:
        assert error.code == code, error.code
        return
    raise AssertionError(f"no {kind.__name__}")


def errors():
    wrong = openai.OpenAI(base_url=f"{URL}/v1", api_key="parley_wrong")
    raises(openai.AuthenticationError, "invalid_api_key", by=wrong)
    raises(openai.NotFoundError, "model_not_found", model="gpt")
    raises(openai.BadRequestError, "too_large", temperature=9)
    named = {"conversation_id": "conv_" + "0" * 26}
    raises(openai.NotFoundError, "conversation_not_found", metadata=named)


check("models.list and models.retrieve", models)
check("three turns, one conversation", three_turns)
check("three turns streamed, one conversation", three_turns_streamed)
check("tools run here, three turns, one conversation", tools_run_here)
check("a model that fails, and a key that may not write", failures)
check("errors are of its own classes", errors)
