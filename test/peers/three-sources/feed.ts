import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { cp, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { freePort } from '../../free-port.ts';
import { expectCited, expectUntouched, stateOf, type Story } from './story.ts';

const ROOT = path.resolve(import.meta.dirname, '../../..');

const QUESTIONS = [
  {
    question: 'How often is a site that answers 429 asked?',
    path: 'websites.md',
    words: /asked three times/,
  },
  {
    question: 'What happens to an old Word file?',
    path: 'files.md',
    words: /save them as DOCX/,
  },
];

/**
 * The feed of docs/integrations.md as it stands there, over our own documents: read with signed requests,
 * answered from, changed and read again, also after the feed itself was started anew.
 */
export async function tryFeed(story: Story, manifests: string): Promise<void> {
  const folder = path.join(story.folder, 'feed');
  await cp(path.join(ROOT, 'docs'), folder, { recursive: true });
  const secret = `whsec_${randomBytes(32).toString('base64')}`;
  await writeFile(path.join(manifests, 'help-feed.yaml'), secretOf(secret));
  const port = await freePort();
  let feed = await startFeed({ folder, secret, port });
  try {
    const { id } = await story.call('POST', '/v1/knowledge/sources', {
      type: 'integration',
      integration: {
        url: `http://127.0.0.1:${port}/feed`,
        signing_secret_ref: { name: 'help-feed', key: 'signing' },
      },
    });
    const source = await story.settled(id);
    story.note(`${source.documents} documents, ${source.chunks} passages`);
    await story.expectCounts('the feed is read', source, `${source.documents} 0 0 0`);
    const agent = await story.newAgent(id);
    for (const { question, ...told } of QUESTIONS) {
      const url = `https://docs.example.com/${told.path}`;
      const answered = await story.ask(agent, question);
      expectCited(story, { question, ...answered }, { ...told, url });
    }

    const before = await stateOf(story, id);
    const websites = path.join(folder, 'websites.md');
    const text = await readFile(websites, 'utf8');
    await writeFile(websites, text.replace('asked three times', 'asked eleven times'));
    await writeFile(path.join(folder, 'lanterns.md'), '# Lanterns\n\nA lantern burns for an hour.');
    await rm(path.join(folder, 'files.md'));
    await story.expectCounts(
      'one added, one changed, one removed',
      await story.sync(id),
      '1 1 1 0',
    );
    const but = ['websites.md', 'lanterns.md', 'files.md'];
    const after = await expectUntouched(story, id, { before, but });
    const { question, ...told } = { ...QUESTIONS[0]!, words: /asked eleven times/ };
    expectCited(story, { question, ...(await story.ask(agent, question)) }, told);

    await story.expectCounts('nothing changed', await story.sync(id), '0 0 0 0');
    await feed.stop();
    feed = await startFeed({ folder, secret, port });
    // It does not know our cursor, and tells everything again.
    await story.expectCounts('the feed begins anew', await story.sync(id), '0 0 0 0');
    await expectUntouched(story, id, { before: after, but: [] });
  } finally {
    await feed.stop();
  }
}

function secretOf(signing: string): string {
  return `apiVersion: v1
kind: Secret
metadata:
  name: help-feed
  labels: {parley.dev/allow: "true"}
stringData: {signing: ${signing}}
`;
}

type Feed = { stop: () => Promise<void> };

async function startFeed(of: { folder: string; secret: string; port: number }): Promise<Feed> {
  const child = spawn(process.execPath, [path.join(ROOT, 'examples/feed.mjs'), of.folder], {
    env: { SECRET: of.secret, PORT: String(of.port), HOST: '127.0.0.1' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(child, 'exit');
  const lines = createInterface({ input: child.stdout });
  await Promise.race([
    once(lines, 'line'), // That it listens.
    ended.then(() => Promise.reject(new Error('the feed did not start'))),
  ]);
  child.stdout.resume();
  return {
    stop: async () => {
      child.kill();
      await ended;
    },
  };
}
