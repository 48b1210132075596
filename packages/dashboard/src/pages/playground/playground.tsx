import { useState } from 'react';
import { Link } from '@tanstack/react-router';
import { agentName, useVersion } from '../../data/agents.ts';
import type { Agent } from '../../data/parley.ts';
import { Button } from '../../ui/button.tsx';
import { useFilters } from '../../ui/filters.tsx';
import { Composer } from './composer.tsx';
import { useLine } from './use-line.ts';
import { useSpeech } from './use-speech.ts';
import { VoiceBar } from './voice-bar.tsx';
import { useTalk, type Start } from './talk.ts';
import { TalkView } from './talk-view.tsx';
import { placeholdersOf, VariableFields } from './variable-fields.tsx';
import { VersionPicker } from './version-picker.tsx';
import './playground.css';

/**
 * Shows one conversation, or two side by side that get the same messages. In the address, `version` and `conversation`
 * belong to the first conversation, and `against` and `other` to the second.
 */
export function Playground({ agent }: { agent: Agent }) {
  const [search, set] = useFilters();
  const [variables, setVariables] = useState<Record<string, string>>({});
  const live = agent.active_version;
  const chosen = Number(search['version'] ?? live ?? agent.latest_version);
  const against = search['against'] === undefined ? null : Number(search['against']);
  const first = useTalk(search['conversation'] ?? null);
  const second = useTalk(search['other'] ?? null);
  const spoken = useLine();
  const { data: version } = useVersion(agent.id, chosen);
  const { canSpeak, whyNot } = useSpeech(version?.content);
  const placeholders = placeholdersOf(version?.content);

  const talked = first.conversation?.agent_version;
  const userTexts = first.turns.flatMap(({ role, text }) => (role === 'user' ? [text] : []));
  const start = (of: number, name: 'conversation' | 'other'): Start => ({
    agentId: agent.id,
    version: of,
    variables,
    onStarted: (id) => set({ [name]: id }),
  });
  const anew = (): void => {
    if (spoken.isOn) spoken.stop();
    first.clear();
    second.clear();
    set({ conversation: undefined, other: undefined, against: undefined });
  };
  const compare = (): void => {
    second.clear();
    // Only the second conversation starts with the chosen version. The first conversation stays as it is.
    set({ against: String(chosen), version: String(talked), other: undefined });
    second.say(userTexts, start(chosen, 'other'));
  };
  const speak = (): void => {
    anew();
    spoken.start(start(chosen, 'conversation'));
  };
  const say = (text: string): void => {
    if (spoken.isOn) return spoken.say(text);
    first.say([text], start(chosen, 'conversation'));
    if (against !== null) second.say([text], start(against, 'other'));
  };
  const isBusy = first.isBusy || second.isBusy;
  const isOver = (first.conversation?.ended_at ?? null) !== null;
  return (
    <div className="playground">
      <div className="playground-head">
        <VersionPicker
          agent={agent}
          chosen={chosen}
          isDisabled={against !== null}
          onChoose={(next) => set({ version: String(next) })}
        />
        <Button onClick={anew} disabled={search['conversation'] === undefined}>
          New conversation
        </Button>
        {canSpeak && !spoken.isOn ? (
          <Button kind="primary" onClick={speak} title="Talk by microphone in a new conversation">
            Talk
          </Button>
        ) : null}
        {whyNot === null ? null : <p className="muted small">Voice is not set up: {whyNot}.</p>}
        <p className="muted small">
          This is a test: it emits no events and is not counted. Tools are called for real.
          {search['conversation'] === undefined ? null : (
            <>
              {' '}
              <Link to={`/conversations/${search['conversation']}`}>Open the conversation</Link>
            </>
          )}
        </p>
      </div>
      {search['conversation'] === undefined ? (
        <VariableFields names={placeholders} values={variables} onChange={setVariables} />
      ) : null}
      <VoiceBar spoken={spoken} />
      {talked !== undefined && talked !== chosen && against === null ? (
        <div className="playground-switch" role="status">
          <span>This conversation uses version {talked}.</span>
          <Button kind="primary" disabled={isBusy || userTexts.length === 0} onClick={compare}>
            Ask the same with version {chosen}
          </Button>
          <Button onClick={anew}>Start over with version {chosen}</Button>
        </div>
      ) : null}
      <div className={against === null ? 'playground-talks' : 'playground-talks playground-two'}>
        <TalkView
          talk={spoken.isOn ? { ...first, reply: spoken.talk.reply ? spoken.reply : null } : first}
          version={talked ?? chosen}
          isLive={(talked ?? chosen) === live}
          isAlone={against === null}
          agentName={agentName(agent)}
          greeting={version?.content.first_message}
        />
        {against === null ? null : (
          <TalkView
            talk={second}
            version={against}
            isLive={against === live}
            isAlone={false}
            agentName={agentName(agent)}
            onClose={() => {
              second.clear();
              set({ against: undefined, other: undefined });
            }}
          />
        )}
      </div>
      <Composer
        isBusy={isBusy}
        isOver={isOver}
        onSay={say}
        onStop={() => {
          first.stop();
          second.stop();
        }}
        onAnew={anew}
      />
    </div>
  );
}
