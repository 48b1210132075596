"""The `pipecat-ai` package, as it is published: its serializers make the frames of a call's sound, and read ours."""

import array
import asyncio
import base64
import hashlib
import hmac
import json
import math
import os
import statistics
import time
import traceback
import urllib.parse
import urllib.request
import xml.etree.ElementTree
from types import SimpleNamespace

import websockets
from cryptography.hazmat.primitives.serialization import load_pem_private_key
from loguru import logger
from pipecat.frames.frames import InputAudioRawFrame, InterruptionFrame, OutputAudioRawFrame
from pipecat.frames.frames import OutputTransportMessageFrame
from pipecat.runner.utils import parse_telephony_websocket
from pipecat.serializers.telnyx import TelnyxFrameSerializer
from pipecat.serializers.twilio import TwilioFrameSerializer

logger.remove()
URL, KEY = os.environ["PARLEY_URL"], os.environ["PARLEY_KEY"]
SENTENCES, UTTERANCES = (
    json.loads(os.environ[name]) for name in ("PARLEY_SENTENCES", "PARLEY_UTTERANCES")
)
GREETING, *STORY, ANSWER = SENTENCES
# As in telephony.yaml.
TOKEN = "the-token-of-the-peer"
CALLER = "+447700900123"
# Of its pipeline: not that of the telephone, so that its serializers have to change it.
RATE = 16_000
FRAME_SEC = 0.02


def check(name, work):
    try:
        asyncio.run(work())
        print(f"ok {name}", flush=True)
    except Exception:
        reason = traceback.format_exc().replace("\n", " | ")
        print(f"not ok {name}: {reason}", flush=True)


def get(path):
    request = urllib.request.Request(URL + path, headers={"authorization": f"Bearer {KEY}"})
    with urllib.request.urlopen(request) as response:
        return json.load(response)


def transcript(sid):
    calls = [call for call in get("/v1/calls")["data"] if call["provider_call_id"] == sid]
    assert len(calls) == 1, calls
    turns = get(f"/v1/conversations/{calls[0]['conversation_id']}/transcript")["turns"]
    return calls[0]["status"], [(turn["role"], turn["text"], turn["interrupted"]) for turn in turns]


class Twilio:
    name, account = "twilio", "AC00000000000000000000000000000002"
    number, sid, stream = "+442071838752", "CA-pipecat", "MZ-pipecat"

    def sign(self, url, form):
        text = url + "".join(name + form[name] for name in sorted(form))
        made = hmac.new(TOKEN.encode(), text.encode(), hashlib.sha1).digest()
        return {"x-twilio-signature": base64.b64encode(made).decode()}

    def start(self, parameters):
        about = {"streamSid": self.stream, "callSid": self.sid, "accountSid": self.account}
        media = {"encoding": "audio/x-mulaw", "sampleRate": 8000, "channels": 1}
        start = {**about, "tracks": ["inbound"], "mediaFormat": media, "customParameters": parameters}
        return {"event": "start", "sequenceNumber": "1", "streamSid": self.stream, "start": start}

    def serializer(self, _):
        params = TwilioFrameSerializer.InputParams(auto_hang_up=False)
        return TwilioFrameSerializer(self.stream, params=params)

    def mark(self, name):
        return {"event": "mark", "streamSid": self.stream, "mark": {"name": name}}


class Telnyx:
    name, account = "telnyx", "1f1a8b6f-1234-4abc-9def-1234567890ab"
    number, sid, stream = "+442071838753", "v3:pipecat", "32DE0DEA-53CB-4B21"
    key = load_pem_private_key(os.environ["PARLEY_TELNYX_KEY"].encode(), password=None)

    def sign(self, _, form):
        timestamp = str(int(time.time()))
        made = self.key.sign(f"{timestamp}|{urllib.parse.urlencode(form)}".encode())
        signature = base64.b64encode(made).decode()
        return {"telnyx-signature-ed25519": signature, "telnyx-timestamp": timestamp}

    def start(self, parameters):
        media = {"encoding": "PCMU", "sample_rate": 8000, "channels": 1}
        start = {"call_control_id": self.sid, "from": CALLER, "to": self.number}
        start = {**start, "media_format": media, "custom_parameters": parameters}
        return {"event": "start", "sequence_number": "1", "stream_id": self.stream, "start": start}

    def serializer(self, call):
        params = TelnyxFrameSerializer.InputParams(auto_hang_up=False)
        encoding = call.outbound_encoding
        return TelnyxFrameSerializer(self.stream, encoding, "PCMU", params=params)

    def mark(self, name):
        return {"event": "mark", "stream_id": self.stream, "mark": {"name": name}}


def post(carrier, what, status):
    """One of the carrier's webhooks; what we answer."""
    url = f"{URL}/v1/telephony/{carrier.name}/{what}"
    form = {"AccountSid": carrier.account, "CallSid": carrier.sid, "From": CALLER}
    form = {**form, "To": carrier.number, "Direction": "inbound", "CallStatus": status}
    body = urllib.parse.urlencode(form).encode()
    request = urllib.request.Request(url, data=body, headers=carrier.sign(url, form))
    with urllib.request.urlopen(request) as response:
        return response.read()


def ring(carrier):
    """The socket to open, and what to hand it."""
    answer = post(carrier, "voice", "ringing")
    stream = xml.etree.ElementTree.fromstring(answer).find("Connect/Stream")
    return stream.get("url"), {one.get("name"): one.get("value") for one in stream}


class Phone:
    """Somebody at the other end, in real time: every frame goes through a serializer of Pipecat's."""

    def __init__(self, carrier, socket, serializer):
        self.carrier, self.socket, self.serializer = carrier, socket, serializer
        self.queue, self.played, self.marks, self.clears, self.keys = [], [], [], [], set()
        self.end = 0.0

    async def speak(self):
        began, count = time.monotonic(), 0
        while True:
            pcm = self.queue.pop(0) if self.queue else bytes(int(RATE * FRAME_SEC) * 2)
            frame = OutputAudioRawFrame(audio=pcm, sample_rate=RATE, num_channels=1)
            text = await self.serializer.serialize(frame)
            if text is not None:
                await self.socket.send(text)
            count += 1
            await asyncio.sleep(max(0, began + count * FRAME_SEC - time.monotonic()))

    async def listen(self):
        async for text in self.socket:
            frame = await self.serializer.deserialize(text)
            message = json.loads(text)
            if isinstance(frame, InputAudioRawFrame):
                self.keys.add(tuple(sorted(message)) + tuple(sorted(message["media"])))
                self.play(frame.audio)
            elif message["event"] == "mark":
                self.marks.append((self.end, message["mark"]["name"]))
            elif message["event"] == "clear":
                self.clears.append(message)
                self.end = min(self.end, time.monotonic())
                self.played = [one for one in self.played if one[0] <= self.end]
                self.marks = [(self.end, name) for _, name in self.marks]

    async def tell_marks(self):
        while True:
            due = [name for at, name in self.marks if at <= time.monotonic()]
            self.marks = [one for one in self.marks if one[1] not in due]
            for name in due:
                frame = OutputTransportMessageFrame(message=self.carrier.mark(name))
                await self.socket.send(await self.serializer.serialize(frame))
            await asyncio.sleep(0.005)

    def play(self, pcm):
        samples = array.array("h", pcm)
        self.end = max(self.end, time.monotonic()) + len(samples) / RATE
        level = statistics.median(samples)
        near = min(LEVELS, key=lambda one: abs(LEVELS[one] - level))
        self.played.append((self.end, near if abs(LEVELS[near] - level) < 400 else None))

    def heard(self):
        names = [name for end, name in self.played if name and end <= time.monotonic()]
        return [name for at, name in enumerate(names) if at == 0 or names[at - 1] != name]

    async def hears(self, sentence, whole=False):
        late = time.monotonic() + 20
        while sentence not in self.heard() or (whole and self.end > time.monotonic()):
            assert time.monotonic() < late, f"“{sentence}”, but heard {self.heard()}"
            await asyncio.sleep(0.01)

    async def say(self, text, sec):
        """Syllables of a pitch, louder and softer as speech is."""
        hz, size = 140 + 20 * UTTERANCES.index(text), int(RATE * FRAME_SEC)
        loud = (0.5 if at / RATE % 0.15 < 0.1 else 0.15 for at in range(int(sec * RATE)))
        wave = (32_767 * one * math.sin(2 * math.pi * hz * at / RATE) for at, one in enumerate(loud))
        samples = array.array("h", (round(one) for one in wave))
        self.queue += [samples[at : at + size].tobytes() for at in range(0, len(samples), size)]
        await asyncio.sleep(sec)


def level(byte):
    """Of a byte of µ-law (G.711)."""
    exponent, mantissa = (~byte >> 4) & 7, ~byte & 15
    return -((((mantissa << 3) + 132) << exponent) - 132)


LEVELS = {sentence: level(at + 1) for at, sentence in enumerate(SENTENCES)}


def called(carrier):
    async def work():
        url, parameters = ring(carrier)
        async with websockets.connect(url) as socket:
            first = [{"event": "connected", "version": "1.0.0"}, carrier.start(parameters)]
            for message in first:
                await socket.send(json.dumps(message))
            # What it takes these for.
            frames = SimpleNamespace(iter_text=lambda: each([json.dumps(one) for one in first]))
            kind, call = await parse_telephony_websocket(frames)
            found = (kind, call.stream_id, call.call_id)
            assert found == (carrier.name, carrier.stream, carrier.sid), found
            serializer = carrier.serializer(call)
            await serializer.setup(SimpleNamespace(audio_in_sample_rate=RATE))
            phone = Phone(carrier, socket, serializer)
            tasks = [asyncio.create_task(one()) for one in (phone.speak, phone.listen, phone.tell_marks)]
            try:
                await talk(phone)
            finally:
                for task in tasks:
                    task.cancel()
        post(carrier, "status", "completed")
        status, turns = transcript(carrier.sid)
        assert status == "completed", status
        expect_turns(turns)

    return work


async def talk(phone):
    await phone.hears(GREETING, whole=True)
    await phone.say(UTTERANCES[0], 0.6)
    await phone.hears(STORY[1])
    await phone.say(UTTERANCES[1], 0.9)
    await phone.hears(ANSWER, whole=True)
    assert phone.heard()[0] == GREETING and phone.heard()[-1] == ANSWER, phone.heard()
    assert STORY[-1] not in phone.heard(), phone.heard()
    # Ours are those that it makes itself.
    clear = json.loads(await phone.serializer.serialize(InterruptionFrame()))
    assert phone.clears == [clear], (phone.clears, clear)
    frame = OutputAudioRawFrame(audio=bytes(6400), sample_rate=RATE, num_channels=1)
    media = json.loads(await phone.serializer.serialize(frame))
    assert phone.keys == {tuple(sorted(media)) + tuple(sorted(media["media"]))}, phone.keys


def expect_turns(turns):
    greeting, asked, told, stopped, answered = turns
    assert greeting == ("agent", GREETING, False), greeting
    assert asked == ("user", UTTERANCES[0], False), asked
    assert told[0] == "agent" and told[2] and " ".join(STORY).startswith(told[1]), told
    assert len(told[1]) > len(STORY[0]), told
    assert stopped == ("user", UTTERANCES[1], False), stopped
    assert answered == ("agent", ANSWER, False), answered


async def each(texts):
    for text in texts:
        yield text


check("a whole call by TwilioFrameSerializer, with an interruption", called(Twilio()))
check("a whole call by TelnyxFrameSerializer, with an interruption", called(Telnyx()))
