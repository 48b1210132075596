"""A bot of Pipecat, as its telephony examples make them: Twilio's frames, Silero, OpenAI's speech; no model."""

import json
import os

import uvicorn
from fastapi import FastAPI, WebSocket
from loguru import logger
from pipecat.audio.vad.silero import SileroVADAnalyzer
from pipecat.audio.vad.vad_analyzer import VADParams
from pipecat.frames.frames import TranscriptionFrame, TTSSpeakFrame
from pipecat.pipeline.pipeline import Pipeline
from pipecat.pipeline.worker import PipelineParams, PipelineWorker
from pipecat.processors.audio.vad_processor import VADProcessor
from pipecat.processors.frame_processor import FrameProcessor
from pipecat.serializers.twilio import TwilioFrameSerializer
from pipecat.services.openai.stt import OpenAISTTService
from pipecat.services.openai.tts import OpenAITTSService
from pipecat.transports.websocket.fastapi import FastAPIWebsocketParams, FastAPIWebsocketTransport
from pipecat.turns.user_stop import SpeechTimeoutUserTurnStopStrategy
from pipecat.turns.user_turn_processor import UserTurnProcessor
from pipecat.turns.user_turn_strategies import UserTurnStrategies
from pipecat.workers.runner import WorkerRunner

logger.remove()
SPEECH, GREETING, ANSWER = (os.environ[name] for name in ("SPEECH", "GREETING", "ANSWER"))
SILENCE_SEC = float(os.environ["SILENCE_SEC"])
app = FastAPI()


class Answer(FrameProcessor):
    """In place of a model: whatever was understood, the same is said."""

    async def process_frame(self, frame, direction):
        await super().process_frame(frame, direction)
        if isinstance(frame, TranscriptionFrame):
            await self.push_frame(TTSSpeakFrame(ANSWER))
        else:
            await self.push_frame(frame, direction)


@app.get("/")
async def ready():
    return {}


@app.websocket("/{caller}")
async def called(socket: WebSocket, caller: str):
    await socket.accept()
    frames = socket.iter_text()
    _, start = json.loads(await anext(frames)), json.loads(await anext(frames))["start"]
    serializer = TwilioFrameSerializer(
        start["streamSid"], params=TwilioFrameSerializer.InputParams(auto_hang_up=False)
    )
    params = FastAPIWebsocketParams(
        audio_in_enabled=True, audio_out_enabled=True, serializer=serializer
    )
    transport = FastAPIWebsocketTransport(websocket=socket, params=params)
    vad = SileroVADAnalyzer(params=VADParams(stop_secs=SILENCE_SEC))
    # Not its model for the end of a turn: silence ends it, as with the others.
    stop = SpeechTimeoutUserTurnStopStrategy(user_speech_timeout=0)
    speech = {"api_key": "none", "base_url": f"{SPEECH}/{caller}"}
    pipeline = Pipeline(
        [
            transport.input(),
            VADProcessor(vad_analyzer=vad),
            OpenAISTTService(**speech),
            UserTurnProcessor(user_turn_strategies=UserTurnStrategies(stop=[stop])),
            Answer(),
            OpenAITTSService(**speech),
            transport.output(),
        ]
    )
    params = PipelineParams(audio_in_sample_rate=8000, audio_out_sample_rate=8000)
    worker = PipelineWorker(pipeline, params=params)

    @transport.event_handler("on_client_connected")
    async def greet(_transport, _client):
        await worker.queue_frames([TTSSpeakFrame(GREETING)])

    @transport.event_handler("on_client_disconnected")
    async def end(_transport, _client):
        await worker.cancel()

    runner = WorkerRunner(handle_sigint=False)
    await runner.add_workers(worker)
    await runner.run()


uvicorn.run(app, host="127.0.0.1", port=int(os.environ["PORT"]), log_level="error")
