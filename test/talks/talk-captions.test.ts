import { beforeEach, expect, test } from 'vitest';
import type { TurnRow } from '../../src/conversations/record/turns.sql.ts';
import { createTalkCaptions, type TalkCaptions } from '../../src/talks/talk-captions.ts';
import type { TalkFrame } from '../../src/talks/talk-frames.ts';

/** The order of frames, however late the transcript is read. */

let sent: string[];
let captions: TalkCaptions;

beforeEach(() => {
  sent = [];
  captions = createTalkCaptions((frame) => void sent.push(describeFrame(frame)));
  captions.ready({ type: 'ready', conversation_id: 'conv_1', resume: 'r', mode: 'chat' });
  sent = [];
});

function describeFrame(frame: TalkFrame): string {
  if (frame.type === 'text') return `text ${frame.text}`;
  return frame.type === 'turn' ? `turn ${frame.index} ${frame.text}` : frame.type;
}

function follow(index: number, role: TurnRow['role'], text: string): void {
  const turn = { index, role, text, interrupted: false } as TurnRow;
  captions.followed({ type: 'turn', turn });
}

test('a token that comes before the greeting was read is sent behind the greeting', () => {
  captions.token('It costs ', 1);
  expect(sent).toEqual([]);
  follow(0, 'agent', 'Hello.');
  captions.token('20 euros.', 1);
  follow(1, 'user', 'How much?');
  follow(2, 'agent', 'It costs 20 euros.');
  expect(sent).toEqual([
    'turn 0 Hello.',
    'text It costs ',
    'text 20 euros.',
    'turn 1 How much?',
    'turn 2 It costs 20 euros.',
  ]);
});

test('a token of the next reply waits for the last turn of the reply before it', () => {
  captions.token('One', 0);
  captions.token('Two', 2);
  captions.token(', too', 2);
  follow(0, 'user', 'First');
  expect(sent).toEqual(['text One', 'turn 0 First']);
  follow(1, 'agent', 'One');
  expect(sent.slice(2)).toEqual(['turn 1 One', 'text Two', 'text , too']);
});

test('a turn that is not shown counts as read', () => {
  captions.token('Found', 2);
  follow(0, 'user', 'Look it up');
  follow(1, 'tool', '');
  expect(sent).toEqual(['turn 0 Look it up', 'text Found']);
});

test('a greeting that is read late leaves a reply without text shown as empty', () => {
  captions.token(' ', 1);
  follow(0, 'agent', 'Hello.');
  follow(1, 'user', 'Hm');
  follow(2, 'agent', '');
  expect(sent.at(-1)).toBe('turn 2 ');
});
