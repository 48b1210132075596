import { describe, expect, test } from 'vitest';
import { createSealer } from '../../src/platform/postgres/sealing.ts';
import {
  openResume,
  openTalkToken,
  sealResume,
  sealTalkToken,
  type ResumeToken,
  type TalkToken,
} from '../../src/talks/talk-token.ts';

const sealer = createSealer(Buffer.alloc(32, 1));
const TOKEN: TalkToken = {
  by: 'server',
  namespace: 'default',
  agentId: '019f0000-0000-7000-8000-000000000001',
  expiresAt: 2_000_000_000,
  origin: 'https://shop.example.com',
  version: 3,
  test: false,
  userId: 'u_7',
  variables: { name: 'Ana' },
  metadata: { plan: 'gold' },
};
const RESUME: ResumeToken = {
  by: TOKEN.by,
  namespace: TOKEN.namespace,
  agentId: TOKEN.agentId,
  origin: TOKEN.origin,
  userId: TOKEN.userId,
  test: TOKEN.test,
  mode: 'chat',
  conversationId: '019f0000-0000-7000-8000-000000000002',
  callId: null,
};

test('what was sealed is opened, and nobody reads it before', () => {
  const text = sealTalkToken(sealer, TOKEN);
  expect(text).toMatch(/^talk_[\w-]+$/);
  expect(Buffer.from(text.slice(5), 'base64url').toString('latin1')).not.toContain('u_7');
  expect(openTalkToken(sealer, text)).toEqual(TOKEN);
});

test.each([
  ['no token', ''],
  ['of another prefix', sealTalkToken(sealer, TOKEN).replace('talk_', 'walk_')],
  ['another key', sealTalkToken(createSealer(Buffer.alloc(32, 2)), TOKEN)],
  ['cut', sealTalkToken(sealer, TOKEN).slice(0, -2)],
  ['empty', 'talk_'],
  ['what says which talk goes on', `talk_${sealResume(sealer, RESUME)}`],
])('%s is none', (_, text) => {
  expect(openTalkToken(sealer, text)).toBeUndefined();
});

test('a key that was replaced opens what it sealed', () => {
  const old = createSealer(Buffer.alloc(32, 9));
  const both = createSealer(Buffer.alloc(32, 1), Buffer.alloc(32, 9));
  expect(openTalkToken(both, sealTalkToken(old, TOKEN))).toEqual(TOKEN);
});

describe('a talk goes on', () => {
  test('for whoever it is of', () => {
    const later = { ...TOKEN, expiresAt: 2_000_000_600, version: null, variables: {} };
    expect(openResume(sealer, sealResume(sealer, RESUME), later)).toEqual(RESUME);
  });

  test.each([
    ['another namespace', { namespace: 'other' }],
    ['another agent', { agentId: '019f0000-0000-7000-8000-000000000009' }],
    ['another origin', { origin: 'https://other.example.com' }],
    ['no origin', { origin: null }],
    ['another user', { userId: 'u_8' }],
    ['nobody that is known', { userId: null }],
    ['a test', { test: true }],
    ['a stranger', { by: 'widget' as const }],
  ])('and not for %s', (_, other) => {
    expect(openResume(sealer, sealResume(sealer, RESUME), { ...TOKEN, ...other })).toBeUndefined();
  });

  test('and not with what a release without the kind of token has sealed', () => {
    const { by: _, ...old } = RESUME;
    expect(openResume(sealer, sealResume(sealer, old as ResumeToken), TOKEN)).toBeUndefined();
  });

  test('and a talk token is none of these', () => {
    const text = sealTalkToken(sealer, TOKEN).slice('talk_'.length);
    expect(openResume(sealer, text, TOKEN)).toBeUndefined();
  });
});
