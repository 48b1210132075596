import { randomBytes } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { epochMs } from '../../../src/clock.ts';
import { toUuid } from '../../../src/ids.ts';
import {
  feedbackToken,
  readFeedbackToken,
} from '../../../src/conversations/feedback/feedback-token.ts';
import { createSealer } from '../../../src/platform/postgres/sealing.ts';
import { holdTime } from '../../clock.ts';
import { startAnother } from '../../roles/api/api-setup.ts';
import { shareConversationFixture, type ConversationFixture } from '../conversation-setup.ts';

/** A user rates a conversation by a link, without a key (docs/decisions/0056). */

let fixture: ConversationFixture;
let agentId: string;
beforeAll(async () => {
  fixture = await shareConversationFixture();
  agentId = await fixture.newAgent({ display_name: 'Desk <b>"1"</b> & co' });
});

const start = (fields: object = {}): Promise<string> =>
  fixture.start({ agent_id: agentId, ...fields });

async function linkTo(id: string, json: object = {}): Promise<string> {
  const { status, body } = await fixture.call('POST', `/v1/conversations/${id}/feedback_link`, {
    json,
  });
  expect({ status, body }).toMatchObject({ status: 200 });
  return String(body.url);
}

type Page = { status: number; html: string; headers: Headers };

async function page(url: string, init: RequestInit = {}): Promise<Page> {
  const response = await fetch(url, { redirect: 'manual', ...init });
  return { status: response.status, html: await response.text(), headers: response.headers };
}

const send = (url: string, fields: [string, string][]): Promise<Page> =>
  page(url, { method: 'POST', body: new URLSearchParams(fields) });
const csatOf = async (id: string): Promise<number | null> => (await fixture.read(id)).csat;

test('a link opens a page that records nothing, and its form records the rating', async () => {
  const id = await start();
  const url = await linkTo(id);
  expect(new URL(url).pathname).toBe('/feedback');
  expect(new URL(url).searchParams.get('token')).toHaveLength(48);
  const shown = await page(url);
  expect(shown.status).toBe(200);
  expect(shown.html).toContain('Desk &#60;b&#62;&#34;1&#34;&#60;/b&#62; &#38; co?');
  expect(shown.html).not.toContain(' checked');
  await page(url, { method: 'HEAD' });
  expect(await csatOf(id)).toBeNull();

  const sent = await send(url, [['csat', '4']]);
  expect(sent.status).toBe(303);
  expect(await csatOf(id)).toBe(4);
  const thanks = await page(new URL(sent.headers.get('location')!, url).href);
  expect(thanks.html).toContain('Thank you');
  expect(thanks.html).toContain('value="4" required checked');

  expect((await send(url, [['csat', '2']])).status).toBe(303);
  expect(await csatOf(id)).toBe(2);
  const stats = await fixture.call('GET', `/v1/agents/${agentId}/stats`);
  expect(JSON.stringify(stats.body)).toContain('"csat_count":1');
});

test('the page is kept, framed and searched by nobody, and loads nothing', async () => {
  const { headers, html } = await page(await linkTo(await start()));
  expect(Object.fromEntries(headers)).toMatchObject({
    'cache-control': 'no-store',
    'referrer-policy': 'no-referrer',
    'x-robots-tag': 'noindex',
    'x-frame-options': 'DENY',
    'content-type': 'text/html; charset=utf-8',
  });
  expect(headers.get('content-security-policy')).toMatch(
    /^default-src 'none';style-src 'sha256-[^']+';img-src data:;form-action 'self'/,
  );
  expect(html).not.toMatch(/<script|src=|https?:/);
});

test('it speaks the language that the browser asks for, else English', async () => {
  const url = await linkTo(await start());
  const inLanguage = (value: string) => page(url, { headers: { 'accept-language': value } });
  expect((await inLanguage('de-AT,de;q=0.9,en;q=0.1')).html).toContain('<html lang="de">');
  expect((await inLanguage('fr, en;q=0.5')).html).toContain('How satisfied are you');
  expect((await inLanguage('fr')).html).toContain('<html lang="en">');
});

test.each<[string, [string, string][]]>([
  ['nothing', []],
  ['0', [['csat', '0']]],
  ['6', [['csat', '6']]],
  ['4.5', [['csat', '4.5']]],
  [
    'two at once',
    [
      ['csat', '1'],
      ['csat', '5'],
    ],
  ],
  ['a word', [['csat', 'five']]],
])('%s is no rating: the form again, and why', async (_what, fields) => {
  const id = await start();
  const { status, html } = await send(await linkTo(id), fields);
  expect(status).toBe(422);
  expect(html).toContain('Please choose a rating from 1 to 5.');
  expect(await csatOf(id)).toBeNull();
});

describe('a link that is not good', () => {
  test('is told of in words, whatever was done to it', async () => {
    const [id, other] = [await start(), await start()];
    const url = new URL(await linkTo(id));
    const token = url.searchParams.get('token')!;
    const bytes = Buffer.from(token, 'base64url');
    const withBytes = (change: (copy: Buffer) => void): string => {
      const copy = Buffer.from(bytes);
      change(copy);
      return copy.toString('base64url');
    };
    const uuid = toUuid('conv', other)!.replaceAll('-', '');
    const tokens = [
      '',
      'x',
      token.slice(1),
      `${token}A`,
      randomBytes(36).toString('base64url'),
      withBytes((copy) => copy.write(uuid, 'hex')),
      withBytes((copy) => copy.writeUInt32BE(copy.readUInt32BE(16) + 1, 16)),
      withBytes((copy) => void (copy[35]! ^= 1)),
    ];
    for (const wrong of tokens) {
      url.searchParams.set('token', wrong);
      for (const answer of [await page(url.href), await send(url.href, [['csat', '5']])]) {
        expect([answer.status, answer.html]).toEqual([404, expect.stringContaining('not work')]);
      }
    }
    expect([await csatOf(id), await csatOf(other)]).toEqual([null, null]);
  });

  test('is over at its time, to the second', async () => {
    const id = await start();
    const sealer = fixture.engine.sealer;
    const now = Math.floor(Date.now() / 1_000);
    const at = (expiresAt: number) =>
      `${fixture.url}/feedback?token=${feedbackToken(sealer, { conversationId: toUuid('conv', id)!, expiresAt })}`;
    expect((await page(at(now + 60))).status).toBe(200);
    for (const answer of [await page(at(now)), await send(at(now), [['csat', '5']])]) {
      expect([answer.status, answer.html]).toEqual([410, expect.stringContaining('expired')]);
    }
    expect(await csatOf(id)).toBeNull();
  });

  test('of an erased conversation, or by another method or form, is none', async () => {
    const id = await start();
    const url = await linkTo(id);
    const put = await page(url, { method: 'PUT' });
    expect([put.status, put.headers.get('allow')]).toEqual([405, 'GET, HEAD, POST']);
    const json = { method: 'POST', body: '{"csat":5}' };
    const headers = { 'content-type': 'application/json' };
    expect((await page(url, { ...json, headers })).status).toBe(415);
    const long = await send(url, [['csat', '5'.repeat(10_000)]]);
    expect(long.status).toBe(413);
    await fixture.call('DELETE', `/v1/conversations/${id}`);
    expect((await page(url)).status).toBe(404);
    expect((await send(url, [['csat', '5']])).status).toBe(404);
  });
});

test('who hammers one link is stopped, and another link is not', async () => {
  const [one, other] = [await linkTo(await start()), await linkTo(await start())];
  let last = 200;
  for (let times = 0; times < 70 && last === 200; times += 1) last = (await page(one)).status;
  expect(last).toBe(429);
  expect((await page(other)).status).toBe(200);
});

test('who tries tokens is stopped, as with wrong keys, and a good link still opens', async () => {
  const limited = await startAnother(fixture, { key: fixture.key, rateLimit: 5 });
  const tryOne = () =>
    page(`${limited.url}/feedback?token=${randomBytes(36).toString('base64url')}`);
  for (let times = 0; times < 5; times += 1) expect((await tryOne()).status).toBe(404);
  const stopped = await tryOne();
  expect([stopped.status, stopped.html]).toEqual([429, expect.stringContaining('too often')]);
  const { pathname, search } = new URL(await linkTo(await start()));
  expect((await page(limited.url + pathname + search)).status).toBe(200);
  await limited.stop();
});

test('links are made by who may write, of conversations of theirs, for as long as is said', async () => {
  holdTime();
  const id = await start();
  const path = `/v1/conversations/${id}/feedback_link`;
  const { body } = await fixture.call('POST', path, { json: { expires_in_sec: 3_600 } });
  expect(body.expires_at).toBe(Math.floor(epochMs() / 1_000) + 3_600);
  const bare = await fixture.call('POST', path);
  expect(bare.body.expires_at - body.expires_at).toBeGreaterThan(29 * 86_400);
  for (const expires_in_sec of [59, 7_776_001, 1.5, '60']) {
    const { status, body: problem } = await fixture.call('POST', path, {
      json: { expires_in_sec },
    });
    expect([status, problem.errors[0].pointer]).toEqual([422, '/expires_in_sec']);
  }
  const key = await fixture.newKey('elsewhere');
  expect((await fixture.call('POST', path, { key, json: {} })).status).toBe(404);
});

test('while the key is replaced, links of both keys are good; of a third none', () => {
  const [first, second, third] = [randomBytes(32), randomBytes(32), randomBytes(32)] as const;
  const link = { conversationId: '01a20cfc-e479-7be3-9d49-910da4b7f0ca', expiresAt: 4_000_000_000 };
  const token = feedbackToken(createSealer(first), link);
  expect(readFeedbackToken(createSealer(first), token)).toEqual(link);
  expect(readFeedbackToken(createSealer(second, first), token)).toEqual(link);
  expect(readFeedbackToken(createSealer(second, third), token)).toBeUndefined();
  const data = Buffer.from('x');
  const sealer = createSealer(first);
  expect(sealer.isSigned(data, sealer.sign(data, 'another purpose'), 'feedback')).toBe(false);
});
