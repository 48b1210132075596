import { mkdtemp, rm, truncate, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { Page } from 'playwright-core';
import { ok, type ParleyClient } from '../../packages/client/src/client.ts';
import { toUuid } from '../../src/ids.ts';
import { memoryFolder } from '../memory-folder.ts';
import { expectAccessible, openDashboard, type Opened } from './dashboard.ts';
import { IS_NIGHTLY } from '../nightly.ts';

/** Knowledge: what agents answer from, what they could not answer, and an answer that is found. */

const TEXT = '# Returns\n\n## How long\nA return is free for thirty days after delivery.\n';
const MEBIBYTE = 1024 * 1024;
/** The whole of a job, on a machine that has others to do. */
const JOB_MS = 90_000;

async function agentOf(parley: ParleyClient, name: string, sources: string[]): Promise<string> {
  const agent = await ok(
    parley.POST('/v1/agents', {
      body: { prompt: 'Help.', display_name: name, knowledge: { source_names: sources } },
    }),
  );
  return agent.id;
}

async function ask(parley: ParleyClient, agentId: string, text: string): Promise<void> {
  const { id } = await ok(parley.POST('/v1/conversations', { body: { agent_id: agentId } }));
  const params = { path: { id } };
  await ok(parley.POST('/v1/conversations/{id}/messages', { params, body: { text } }));
}

async function answersOf({ pool }: Opened, question: string): Promise<unknown[]> {
  const query = 'SELECT answer FROM knowledge_gaps WHERE question = $1 ORDER BY answer';
  return (await pool.query(query, [question])).rows.map(({ answer }) => answer as unknown);
}

/**
 * Returns the path of a file that is one byte too long. Playwright sends the content of a file for ten seconds, but the browser
 * reads a path itself.
 */
async function bigFile(): Promise<string> {
  const folder = await mkdtemp(path.join(memoryFolder(), 'parley-test-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const file = path.join(folder, 'big.txt');
  await writeFile(file, '');
  await truncate(file, 20 * MEBIBYTE + 1);
  return file;
}

/** Answers 202 to the next new source and 404 to its first read. Returns the methods of all requests for that source. */
async function delaySource(page: Page): Promise<string[]> {
  const methods: string[] = [];
  let isRead = false;
  await page.route(/\/v1\/knowledge\/sources(\/ks_|$)/, async (route) => {
    const method = route.request().method();
    methods.push(method);
    if (method === 'POST') return route.fulfill({ response: await route.fetch(), status: 202 });
    if (method === 'PUT' || isRead) return route.continue();
    isRead = true;
    return route.fulfill({ status: 404, json: {} });
  });
  return methods;
}

test(
  'a gap is answered for every agent that was asked, found, changed and withdrawn',
  async () => {
    const opened = await openDashboard({ namespace: 'gaps', at: '/knowledge/gaps' });
    const { page, parley } = opened;
    await ok(
      parley.POST('/v1/knowledge/sources', { body: { type: 'text', name: 'r', text: TEXT } }),
    );
    const [one, other] = [
      await agentOf(parley, 'Shop', ['r']),
      await agentOf(parley, 'Phone', ['r']),
    ];
    const question = 'Is a gift card returned for money?';
    await ask(parley, one, question);
    await ask(parley, other, question);

    // The open page shows what two agents were asked, and then the same question in other words.
    const row = page.getByRole('row', { name: /gift card/ });
    await row.getByText('2', { exact: true }).waitFor();
    await ask(parley, one, 'Are gift cards returned for money?');
    await row.getByText('3', { exact: true }).waitFor();
    expect(await row.count()).toBe(1);
    await row.getByRole('link').click();

    await page.getByRole('heading', { name: 'Closest passages' }).waitFor();
    await page
      .getByRole('list', { name: 'Passages, best first' })
      .getByText('Returns > How long')
      .waitFor();
    await page
      .getByText(/An answer would use none of these passages \(minimum score 0.5\)/)
      .waitFor();
    await page.getByLabel('What the agent should reply').fill('Gift cards are final.');
    await page.getByRole('checkbox', { name: 'Phone' }).waitFor();
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Answer the question' }).click();
    await page.getByRole('button', { name: 'Change the answer' }).waitFor();
    const stored = await answersOf(opened, question);
    expect(stored.filter((answer) => answer === 'Gift cards are final.')).toHaveLength(2);

    await page.getByText('All wordings have an answer.').waitFor();
    await page
      .getByRole('region', { name: 'Asked in these words' })
      .getByText('answered')
      .waitFor();
    await page.getByRole('button', { name: 'Ask again' }).click();
    const verdict = page.getByText(/The answer is passage 1 of \d, with a score of/);
    await verdict.waitFor();
    expect(
      Number(/score of ([\d.]+)/.exec((await verdict.textContent()) ?? '')?.[1]),
    ).toBeGreaterThan(0.5);
    await page.getByLabel('Question').fill('zebra');
    await page.getByRole('button', { name: 'Ask again' }).click();
    await page.getByText('The answer contains none of the words in this question.').waitFor();

    await page.getByRole('button', { name: 'Change the answer' }).click();
    await page.getByLabel('What the agent should reply').fill('Within a week.');
    await page.getByRole('button', { name: 'Save the answer' }).click();
    await page.getByText('Within a week.').first().waitFor();
    await page.getByRole('button', { name: 'Withdraw the answer' }).click();
    await page.getByRole('button', { name: 'Answer the question' }).waitFor();
    expect(await answersOf(opened, question)).toContain(null);
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByRole('button', { name: 'Change the answer' }).waitFor();
    expect(await answersOf(opened, question)).toContain('Within a week.');
    await expectAccessible(page);
  },
  JOB_MS,
);

test(
  'a refused file leaves neither its name nor a source behind',
  async () => {
    const { page, parley } = await openDashboard({ namespace: 'refused', at: '/knowledge' });
    const names = async () =>
      (await ok(parley.GET('/v1/knowledge/sources'))).data.map(({ name }) => name);
    const file = page.getByLabel('File', { exact: true });
    const name = page.getByLabel('Name');
    const refuse = async () => {
      await page.getByRole('button', { name: 'Upload a file' }).first().click();
      const broken = { mimeType: 'application/pdf', buffer: Buffer.from('PK') };
      await file.setInputFiles({ name: 'prices.pdf', ...broken });
      await page.getByRole('button', { name: 'Upload', exact: true }).click();
      await page.getByText(/prices\.pdf has the extension of a PDF file, but/).waitFor();
      expect(await names()).toEqual(['prices']);
    };
    await refuse();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByText('There is no knowledge yet').waitFor();
    expect(await names()).toEqual([]);

    await refuse();
    const good = { mimeType: 'text/markdown', buffer: Buffer.from(TEXT) };
    await file.setInputFiles({ name: 'Returns.md', ...good });
    expect(await name.inputValue()).toBe('returns');
    await page.getByRole('button', { name: 'Upload', exact: true }).click();
    await page.getByRole('heading', { name: 'returns' }).waitFor();
    expect(await names()).toEqual(['returns']);
  },
  JOB_MS,
);

test(
  'a file becomes a source that is searched; what cannot be read is refused with the reason',
  async () => {
    const opened = await openDashboard({ namespace: 'files', at: '/knowledge', theme: 'dark' });
    const { page, parley } = opened;
    await page.getByText('There is no knowledge yet').waitFor();
    await page.getByRole('button', { name: 'Upload a file' }).click();
    const file = page.getByLabel('File', { exact: true });
    const upload = page.getByRole('button', { name: 'Upload', exact: true });
    await file.setInputFiles(await bigFile());
    await page.getByText('big.txt is 20.0 MiB, but the limit is 20 MiB.').waitFor();
    expect(await upload.isDisabled()).toBe(true);

    await file.setInputFiles({ name: 'prices.XLSX', mimeType: '', buffer: Buffer.from('PK') });
    await page.getByText('.xlsx files are not supported.').waitFor();
    expect(await upload.isDisabled()).toBe(true);
    expect(await page.getByLabel('Name').inputValue()).toBe('');

    await file.setInputFiles({
      name: 'a.pdf',
      mimeType: 'application/pdf',
      buffer: Buffer.from('PK'),
    });
    await page.getByLabel('Name').fill('returns');
    const methods = await delaySource(page);
    await upload.click();
    await page.getByText(/a\.pdf has the extension of a PDF file, but/).waitFor();
    // The content is sent once the source can be read.
    expect(methods.join(' ')).toMatch(/^POST( GET){2,} PUT$/);
    await page.unrouteAll();
    await expectAccessible(page);

    // To the same source, which is there by now. How far it got is shown.
    const shown = page.getByRole('progressbar', { name: 'Uploaded' }).waitFor();
    await page.route(/\/content/, async (route) => {
      await shown;
      await route.continue();
    });
    await file.setInputFiles({
      name: 'r.md',
      mimeType: 'text/markdown',
      buffer: Buffer.from(TEXT),
    });
    await upload.click();
    await page.getByRole('heading', { name: 'returns' }).waitFor();
    await page.getByText('ready', { exact: true }).waitFor();
    await page.getByRole('row', { name: /r\.md/ }).waitFor();
    await page.getByText('1 passage of 1 document').waitFor();
    await expectAccessible(page);
    const { data } = await ok(
      parley.GET('/v1/knowledge/search', { params: { query: { q: 'free return' } } }),
    );
    expect(data[0]?.text).toContain('thirty days');

    // No agent answers from it, until it is added to one.
    const users = page.getByRole('region', { name: 'Used by' });
    await users.getByText('No agent uses this source yet.').waitFor();
    await agentOf(parley, 'Shop', []);
    const agentId = await agentOf(parley, 'Phone', []);
    await users.getByLabel('Agent').selectOption('Phone');
    await users.getByRole('button', { name: 'Add' }).click();
    await users.getByRole('link', { name: 'Phone', exact: true }).waitFor();
    expect(await users.getByLabel('Agent').locator('option').allTextContents()).toEqual([
      'Choose an agent',
      'Shop',
    ]);
    expect(await users.getByRole('link', { name: 'Ask it (Phone)' }).getAttribute('href')).toMatch(
      new RegExp(`^/agents/${agentId}/playground`),
    );
    const params = { path: { id: agentId } };
    const agent = await ok(parley.GET('/v1/agents/{id}', { params }));
    expect(agent.knowledge).toEqual({ source_names: ['returns'] });
    await expectAccessible(page);

    const id = page.url().split('/').at(-1)!;
    await page.getByRole('button', { name: 'Delete…' }).click();
    await page.getByRole('button', { name: 'Delete the source' }).click();
    await page.getByText('There is no knowledge yet').waitFor();
    const { rows } = await opened.pool.query(
      'SELECT 1 FROM knowledge_sources WHERE id = $1 AND deleted_at IS NULL',
      [toUuid('ks', id)],
    );
    expect(rows).toEqual([]);
  },
  JOB_MS,
);

test.runIf(IS_NIGHTLY)(
  'two people edit a text: the second sees it before anything is lost',
  async () => {
    const opened = await openDashboard({ namespace: 'texts', at: '/knowledge' });
    const { page, parley, server, namespace } = opened;
    await page.getByRole('button', { name: 'Add a text' }).click();
    await page.getByLabel('Name').fill('Not a name');
    await page.getByLabel('Text', { exact: true }).fill(TEXT);
    await page.getByRole('button', { name: 'Add the text' }).click();
    await page.getByText(/DNS label/).waitFor();
    await page.getByLabel('Name').fill('returns');
    await page.getByRole('button', { name: 'Add the text' }).click();
    await page.getByRole('heading', { name: 'returns', exact: true }).waitFor();

    await page.getByRole('button', { name: 'Edit the text' }).click();
    const text = page.getByRole('textbox', { name: 'Text' });
    await text.fill(TEXT.replace('thirty', 'sixty'));
    const id = page.url().split('/').at(-1)!;
    await ok(
      parley.PATCH('/v1/knowledge/sources/{id}', {
        params: { path: { id } },
        body: { text: TEXT.replace('thirty', 'ninety') },
      }),
    );
    await page.getByText('Somebody else has changed this text.').waitFor();
    expect(await page.getByRole('deletion').textContent()).toContain('ninety');
    const save = page.getByRole('button', { name: 'Save the text' });
    expect(await save.isDisabled()).toBe(true);
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Keep mine' }).click();
    await save.click();
    await page.getByText('The text is saved and indexed').waitFor();
    await server.engine.settled('KnowledgeSource', 'returns', namespace);
    const source = await ok(parley.GET('/v1/knowledge/sources/{id}', { params: { path: { id } } }));
    expect(source.text).toContain('sixty');
  },
  JOB_MS,
);

test(
  'a search shows what an agent would answer from, and what it would leave',
  async () => {
    const { page, parley } = await openDashboard({
      namespace: 'searches',
      viewport: { width: 360, height: 740 },
      scopes: ['read'],
      at: '/knowledge/search',
    });
    const text =
      '# Wool\n\nWash wool cold, by hand.\n\n# Silk\n\nWash silk by hand.\n\n# Linen\n\nFold linen on the hand rest.\n';
    await ok(parley.POST('/v1/knowledge/sources', { body: { type: 'text', name: 'w', text } }));
    await agentOf(parley, 'Laundry', ['w']);
    await agentOf(parley, 'Nobody', []);
    await page.getByLabel('Question').fill('How do I wash wool by hand?');
    await page.getByLabel('Search as agent').selectOption('Laundry');
    await page.getByRole('button', { name: 'Search' }).click();
    await page.getByText(/passages? visible to version 1, which is live/).waitFor();
    await page.getByText(/↑ Used in an answer \(minimum score 0.5\)/).waitFor();
    const hits = page.getByRole('list', { name: 'Passages, best first' }).getByRole('listitem');
    const texts = await hits.allTextContents();
    expect(texts[0]).toContain('Wash wool cold');
    const line = texts.findIndex((one) => one.includes('Used in an answer'));
    const [used, left] = [texts.slice(0, line), texts.slice(line + 1)];
    expect(Math.min(...used.map(Number.parseFloat))).toBeGreaterThanOrEqual(0.5);
    expect(Math.max(...left.map(Number.parseFloat))).toBeLessThan(0.5);
    await expectAccessible(page);

    await page.getByLabel('Search as agent').selectOption('Nobody');
    await page.getByText('No passage contains any of these words.').waitFor();
    await page.reload();
    await page.getByText('No passage contains any of these words.').waitFor();
  },
  JOB_MS,
);
