"""Speech and recognition with OpenAI's interface, for the fire drill: POST /v1/audio/speech (Piper) and POST
/v1/audio/transcriptions (Whisper), both on one core. And what of it was played, which the voice knows: POST
/v1/audio/played, a form of a text and a file of what was heard of it, answers as played.py tells.

Prints its port as the first line, then a line of JSON for every request that is done: use, text, start and
first, ms since 1970.
"""

import io
import json
import struct
import sys
import threading
import time
import wave
from email.parser import BytesParser
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import numpy
from engines import RATE, joined, recognize, synthesize
from played import Played

BODY_BYTES_MAX = 25 * 1024 * 1024
SAID = threading.Lock()
# One core: one of them works at a time.
CORE = threading.Lock()
PLAYED = Played()


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
    """PCM16 of one channel, as floats from -1 to 1, and how many of them a second has."""
    with wave.open(io.BytesIO(wav)) as file:
        if file.getsampwidth() != 2 or file.getnchannels() != 1:
            raise ValueError("no PCM16 of one channel")
        rate = file.getframerate()
        return numpy.frombuffer(file.readframes(file.getnframes()), numpy.int16) / 32768, rate


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
            if self.path == "/v1/audio/played":
                return self.tell_played(form_of(self.headers["content-type"], body))
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
        first, spoken = None, []
        parts = synthesize(asked["input"])
        try:
            while (part := take(parts)) is not None:
                spoken.append(part)
                first = first or time.time()
                self.chunk(part[0].tobytes())
            self.chunk(b"")
        finally:
            # Who breaks in closes what it has asked for; what there is of it was heard nevertheless.
            if spoken:
                PLAYED.note(asked["input"], *joined(spoken))
            say("speech", asked["input"], start, first or time.time())

    def hear(self, form, start):
        beams = 5 if form.get("prompt") == b"carefully" else 1
        samples, rate = samples_of(form["file"])
        with CORE:
            text = recognize(samples, rate, beams)
        if beams == 1:
            say("transcription", text, start, time.time())
        self.answer(200, {"text": text})

    def tell_played(self, form):
        samples, rate = samples_of(form["file"])
        with CORE:
            told = PLAYED.tell(form["text"].decode(), samples, rate)
        self.answer(200, told)

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
