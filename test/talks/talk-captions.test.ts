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
  if (frame.type === 'status') {
    const { status } = frame;
    return status === 'escalated' ? `status ${status} ${frame.accepted}` : `status ${status}`;
  }
  if (frame.type !== 'turn') return frame.type;
  return `turn ${frame.index} ${frame.text}${frame.interrupted ? ' (cut)' : ''}`;
}

function follow(index: number, role: TurnRow['role'], text: string, interrupted = false): void {
  const turn = { index, role, text, interrupted } as TurnRow;
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

test('a reply of tools alone is not shown, one that was interrupted or cut is', () => {
  follow(0, 'agent', '');
  expect(sent).toEqual([]);
  follow(1, 'agent', '', true);
  captions.cut({ index: 2, playedText: '' });
  follow(2, 'agent', '');
  follow(3, 'agent', 'All of it');
  captions.cut({ index: 4, playedText: 'All' });
  follow(4, 'agent', 'All of it');
  follow(5, 'agent', 'Part', true);
  expect(sent).toEqual([
    'turn 1  (cut)',
    'turn 2  (cut)',
    'turn 3 All of it',
    'turn 4 All (cut)',
    'turn 5 Part (cut)',
  ]);
});

test('a turn that was shown is shown again if something else of it was played', () => {
  follow(0, 'agent', 'All of it');
  captions.cut({ index: 0, playedText: 'All of it' });
  captions.cut({ index: 0, playedText: 'All of it' });
  captions.cut({ index: 0, playedText: 'All' });
  expect(sent).toEqual(['turn 0 All of it', 'turn 0 All of it (cut)', 'turn 0 All (cut)']);
});

test('whether a person has accepted is shown, and again when they leave', () => {
  const status = (now: string, hasHuman?: boolean): void =>
    captions.followed({
      type: 'conversation',
      conversation: { status: now, tally: { hasHuman } },
    } as Parameters<TalkCaptions['followed']>[0]);
  status('escalated');
  status('escalated', false);
  status('escalated', true);
  status('escalated', true);
  status('escalated', false);
  status('active', true);
  expect(sent).toEqual([
    'status escalated false',
    'status escalated true',
    'status escalated false',
    'status active',
  ]);
});

test('a status is shown when it changes, and one that failed has ended', () => {
  const status = (now: string, endedReason: string | null = null): void =>
    captions.followed({
      type: 'conversation',
      conversation: { status: now, endedReason },
    } as Parameters<TalkCaptions['followed']>[0]);
  status('active');
  status('active');
  expect(captions.endedReason()).toBeUndefined();
  status('failed', 'platform_error');
  status('ended', 'platform_error');
  expect(sent).toEqual(['status active', 'status ended']);
  expect(captions.endedReason()).toBe('platform_error');
});
