"""An agent of LiveKit, as its documentation makes them: Silero, OpenAI's speech, a process for each call; no model."""

import os

from livekit.agents import Agent, AgentServer, AgentSession, JobContext, JobProcess, StopResponse, cli
from livekit.plugins import openai, silero

SPEECH, GREETING, ANSWER = (os.environ[name] for name in ("SPEECH", "GREETING", "ANSWER"))
SILENCE_SEC = float(os.environ["SILENCE_SEC"])
# However busy the machine is, the next call is taken: its server passes over who says that they are busy.
server = AgentServer(host="127.0.0.1", port=int(os.environ["PORT"]), load_fnc=lambda: 0.0)


def prewarm(process: JobProcess):
    process.userdata["vad"] = silero.VAD.load(min_silence_duration=SILENCE_SEC)


server.setup_fnc = prewarm


class Shop(Agent):
    """In place of a model: whatever was understood, the same is said."""

    def __init__(self):
        super().__init__(instructions="Sell.")

    async def on_user_turn_completed(self, turn_ctx, new_message):
        self.session.say(ANSWER)
        raise StopResponse()


@server.rtc_session()
async def called(ctx: JobContext):
    # Rooms are named as their callers: 3-17 is the seventeenth call, of caller 3.
    speech = {"api_key": "none", "base_url": f"{SPEECH}/{ctx.room.name.split('-')[0]}"}
    session = AgentSession(
        vad=ctx.proc.userdata["vad"],
        stt=openai.STT(**speech),
        tts=openai.TTS(response_format="pcm", **speech),
        # Not its model for the end of a turn: silence ends it, as with the others.
        turn_handling={
            "turn_detection": "vad",
            "endpointing": {"min_delay": 0},
            "interruption": {"mode": "vad"},
        },
        # Telephones have no echo that would have to be learned first.
        aec_warmup_duration=None,
    )
    await session.start(agent=Shop(), room=ctx.room)
    session.say(GREETING)


# Its processes read this file too.
if __name__ == "__main__":
    cli.run_app(server)
