import type { Conversation } from '../../data/conversations.ts';
import { Status, type Tone } from '../../ui/status.tsx';

const TONES: Record<string, Tone> = {
  active: 'info',
  escalated: 'warn',
  resolved: 'ok',
  unresolved: 'bad',
  failed: 'bad',
};

/** Shows the status while the conversation is active, and its outcome afterwards. */
export function ConversationState({ conversation }: { conversation: Conversation }) {
  const { status, outcome, test } = conversation;
  const word = outcome ?? status;
  return (
    <>
      <Status tone={TONES[word] ?? 'muted'}>{word}</Status>
      {test ? <TestMark /> : null}
    </>
  );
}

export function TestMark() {
  return (
    <Status
      tone="info"
      title="A test conversation emits no events, creates no gaps and is not counted in statistics"
    >
      test
    </Status>
  );
}
