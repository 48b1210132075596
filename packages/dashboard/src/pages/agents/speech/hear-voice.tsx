import { useEffect, useRef, useState } from 'react';
import { useMutation } from '@tanstack/react-query';
import { ok, parley, problemsIn, type BodyOf } from '../../../data/parley.ts';
import { cleaned } from '../../../form/merge.ts';
import { LineField } from '../../../form/part-fields.tsx';
import { ActButton } from '../../../ui/button.tsx';
import { TroubleNote } from '../../../ui/trouble.tsx';
import type { Loose, Voice } from '../agent-shapes.ts';

const SAMPLE = 'Hello! How can I help you today?';
const CHARS_MAX = 300;

type Body = BodyOf<'/v1/agents/{id}/speech', 'post'>;

/** Plays a sentence in the voice that the form describes. */
export function HearVoice({ agentId, voice }: { agentId: string; voice: Loose<Voice> }) {
  const [text, setText] = useState(SAMPLE);
  const play = usePlayer();
  const hear = useMutation({
    mutationFn: async () => {
      // The player is opened before the request, because browsers allow sound only shortly after a click.
      const player = play.open();
      const body: Body = { text, voice: (cleaned(voice) ?? {}) as NonNullable<Body['voice']> };
      const params = { path: { id: agentId } };
      const speech = parley.POST('/v1/agents/{id}/speech', {
        params,
        body,
        parseAs: 'arrayBuffer',
      });
      await player(await ok(speech));
    },
  });
  const isOwn = Boolean(voice.provider);
  return (
    <div className="agent-try stack-small">
      <LineField
        label="Sample sentence"
        maxLength={CHARS_MAX}
        value={text}
        onChange={setText}
        hint={isOwn ? undefined : 'Choose a speech provider to hear its voices here.'}
      />
      <div className="row">
        <ActButton
          needs="write"
          size="small"
          isBusy={hear.isPending}
          disabled={!isOwn || text.trim() === ''}
          onClick={() => hear.mutate()}
        >
          Hear it
        </ActButton>
        <span role="status" className="small">
          {hear.isSuccess && !hear.isPending ? 'Played.' : null}
        </span>
      </div>
      {hear.error ? <Refusal error={hear.error} /> : null}
    </div>
  );
}

/** Shows the per-field errors, or the whole error if it does not name a field. */
function Refusal({ error }: { error: unknown }) {
  const problems = problemsIn(error).filter(({ pointer }) => pointer !== '');
  if (problems.length === 0) return <TroubleNote error={error} />;
  return (
    <p className="problem small" role="alert">
      {problems.map(({ pointer, detail }) => `${pointer.split('/').at(-1)}: ${detail}`).join('; ')}
    </p>
  );
}

/**
 * Plays sound through Web Audio, which needs no URL for the sound and therefore no exception in the content security
 * policy. The sound stops when the user leaves the page or plays another sound.
 */
function usePlayer(): { open: () => (sound: ArrayBuffer) => Promise<void> } {
  const context = useRef<AudioContext>(null);
  const playing = useRef<AudioBufferSourceNode>(null);
  useEffect(() => () => void context.current?.close(), []);
  return {
    open: () => {
      const audio = (context.current ??= new AudioContext());
      void audio.resume();
      return async (sound) => {
        const buffer = await audio.decodeAudioData(sound);
        playing.current?.stop();
        const source = new AudioBufferSourceNode(audio, { buffer });
        playing.current = source;
        source.connect(audio.destination);
        source.start();
      };
    },
  };
}
