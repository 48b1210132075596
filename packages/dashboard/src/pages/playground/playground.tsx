import { useState } from 'react';
import { Link } from '@tanstack/react-router';
import { agentName, useVersion, type Declared } from '../../data/agents.ts';
import { Button } from '../../ui/button.tsx';
import { useFilters } from '../../ui/filters.tsx';
import { Composer } from './composer.tsx';
import { PromptPanel } from './prompt-panel.tsx';
import { useLine } from './use-line.ts';
import { useSpeech } from './use-speech.ts';
import { VoiceBar } from './voice-bar.tsx';
import { useTalk, type Start } from './talk.ts';
import { TalkView } from './talk-view.tsx';
import { placeholdersOf, VariableFields } from './variable-fields.tsx';
import { VersionPicker } from './version-picker.tsx';
import './playground.css';

/**
 * Shows one conversation, or two side by side that receive the same messages. In the address, `version` and
 * `conversation` belong to the first conversation, and `against` and `other` to the second.
 */
export function Playground({ declared }: { declared: Declared }) {
  const { agent } = declared;
  const [search, set] = useFilters();
  const [variables, setVariables] = useState<Record<string, string>>({});
  const live = agent.active_version;
  const chosen = Number(search['version'] ?? live ?? agent.latest_version);
  const against = search['against'] === undefined ? null : Number(search['against']);
  const isAlone = against === null;
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
  const shown = spoken.isOn ? { ...first, reply: spoken.talk.reply ? spoken.reply : null } : first;
  return (
    <div className="playground">
      <div className="playground-head">
        <VersionPicker
          agent={agent}
          chosen={chosen}
          isDisabled={!isAlone}
          onChoose={(next) => set({ version: String(next) })}
        />
        <Button onClick={anew} disabled={search['conversation'] === undefined}>
          New conversation
        </Button>
        <SpeakButton canSpeak={canSpeak && !spoken.isOn} whyNot={whyNot} onSpeak={speak} />
        <TestNote conversationId={search['conversation']} />
      </div>
      {search['conversation'] === undefined ? (
        <VariableFields names={placeholders} values={variables} onChange={setVariables} />
      ) : null}
      <VoiceBar spoken={spoken} />
      {talked !== undefined && talked !== chosen && isAlone ? (
        <OtherVersion
          talked={talked}
          chosen={chosen}
          onAsk={isBusy || userTexts.length === 0 ? undefined : compare}
          onAnew={anew}
        />
      ) : null}
      <div className={isAlone ? 'playground-beside' : undefined}>
        <div className="playground-main">
          <div className={isAlone ? 'playground-talks' : 'playground-talks playground-two'}>
            <TalkView
              talk={shown}
              version={talked ?? chosen}
              isLive={(talked ?? chosen) === live}
              isAlone={isAlone}
              agentName={agentName(agent)}
              greeting={version?.content.first_message}
            />
            {isAlone ? null : (
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
            isOver={(first.conversation?.ended_at ?? null) !== null}
            onSay={say}
            onStop={() => {
              first.stop();
              second.stop();
            }}
            onAnew={anew}
          />
        </div>
        {isAlone && version ? (
          <PromptPanel
            key={chosen}
            declared={declared}
            version={chosen}
            prompt={version.content.prompt ?? ''}
            onSaved={(saved) => set({ version: String(saved) })}
          />
        ) : null}
      </div>
    </div>
  );
}

function SpeakButton({
  canSpeak,
  whyNot,
  onSpeak,
}: {
  canSpeak: boolean;
  whyNot: string | null;
  onSpeak: () => void;
}) {
  return (
    <>
      {canSpeak ? (
        <Button kind="primary" onClick={onSpeak} title="Talk by microphone in a new conversation">
          Talk
        </Button>
      ) : null}
      {whyNot === null ? null : <p className="muted small">Voice is not set up: {whyNot}.</p>}
    </>
  );
}

/** Offers to switch to the chosen version, which the conversation does not use. */
function OtherVersion({
  talked,
  chosen,
  onAsk,
  onAnew,
}: {
  talked: number;
  chosen: number;
  /** Asks the chosen version the same questions; undefined if that is impossible now. */
  onAsk: (() => void) | undefined;
  onAnew: () => void;
}) {
  return (
    <div className="playground-switch" role="status">
      <span>This conversation uses version {talked}.</span>
      <Button kind="primary" disabled={!onAsk} onClick={onAsk}>
        Repeat with version {chosen}
      </Button>
      <Button onClick={onAnew}>Start over with version {chosen}</Button>
    </div>
  );
}

function TestNote({ conversationId }: { conversationId: string | undefined }) {
  return (
    <p className="muted small">
      This is a test. It emits no events and is not counted in statistics. Tools are called for
      real.
      {conversationId === undefined ? null : (
        <>
          {' '}
          <Link to={`/conversations/${conversationId}`}>Open the conversation</Link>
        </>
      )}
    </p>
  );
}
