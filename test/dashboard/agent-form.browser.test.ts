import { expect, test } from 'vitest';
import type { Page } from 'playwright-core';
import type { ParleyClient } from '../../packages/client/src/client.ts';
import { ok } from '../../packages/client/src/client.ts';
import { expectAccessible, follow, openDashboard } from './dashboard.ts';

/** The parts of an agent's form, with fields and as JSON, and the request that it sends. */

async function newAgent(parley: ParleyClient, fields: object = {}): Promise<string> {
  const body = { display_name: 'Refund desk', prompt: 'You help customers.', ...fields };
  return (await ok(parley.POST('/v1/agents', { body }))).id;
}

const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name });
const text = (page: Page, words: string | RegExp) => page.getByText(words).first().waitFor();

test('rules and JSON are edited, unsaved changes are kept, and the request has what changed alone', async () => {
  const { page, parley } = await openDashboard();
  const escalation = {
    rules: [
      { when: 'user_request', reason: 'asked' },
      { when: 'keyword', keywords: ['lawyer'] },
    ],
    telephone: { to: '+442071838750' },
  };
  const id = await newAgent(parley, { escalation, redaction: ['phone'] });
  await page.goto(`/agents/${id}?edit=1`);
  await page.getByText('When a human agent takes over').click();
  await button(page, 'Remove rule 1').click();
  expect(await page.getByLabel('Rule 1: words').inputValue()).toBe('lawyer');
  await button(page, 'Add a rule').click();
  await page
    .getByLabel('Rule 2', { exact: true })
    .selectOption('a tool fails a number of times in a row');
  await page.getByLabel('Rule 2: how many times').fill('3');
  await page.getByText('Advanced: limits, privacy').click();
  await page.getByLabel('Temperature').fill('0.2');
  await page.getByText('Voice', { exact: true }).first().click();
  await button(page, 'Edit as JSON: Voice').click();
  const json = page.getByLabel('Voice as JSON');
  const save = button(page, 'Save and make it live');
  for (const [wrong, why] of [
    ['{', 'must be valid JSON'],
    ['{"sped": 1}', 'sped: is not a known field'],
  ] as const) {
    await json.fill(wrong);
    await text(page, why);
    expect(await save.isDisabled()).toBe(true);
    expect(await button(page, 'Edit with fields: Voice').isDisabled()).toBe(true);
  }
  await json.fill('{"speed": 1.5}');
  await button(page, 'Edit with fields: Voice').click();
  expect(await page.getByLabel('Speed').inputValue()).toBe('1.5');
  await page.getByLabel('Speed').fill('');

  await page.getByRole('link', { name: 'Agents' }).first().click();
  const leave = page.getByRole('dialog', { name: 'Leave without saving?' });
  await leave.getByRole('button', { name: 'Stay' }).click();
  const request = page.waitForRequest((one) => one.method() === 'PATCH');
  await save.click();
  expect((await request).postDataJSON()).toEqual({
    model: { temperature: 0.2 },
    escalation: {
      rules: [
        { when: 'keyword', keywords: ['lawyer'] },
        { when: 'tool_failure', count: 3 },
      ],
    },
  });
  await text(page, 'version 2 is live');
});

test('a tool and the hours of people are made with fields, the tool is called once, and both are saved', async () => {
  const { page, parley, receiver } = await openDashboard();
  receiver.answer((_, response) =>
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"state":"sent"}'),
  );
  const id = await newAgent(parley);
  await page.goto(`/agents/${id}?edit=1`);
  await button(page, 'Add a tool').click();
  const dialog = page.getByRole('dialog', { name: 'New tool' });
  const done = dialog.getByRole('button', { name: 'Done' });
  await done.click();
  await dialog.getByRole('alert').getByText('Use letters, digits').waitFor();
  await dialog.getByLabel('Name', { exact: true }).fill('order_status');
  await dialog.getByLabel('Description', { exact: true }).fill('Looks up an order.');
  await dialog.getByLabel('URL').fill(receiver.url);
  await dialog.getByLabel('Bearer token', { exact: true }).fill('tok-1');
  await dialog.getByRole('button', { name: 'Create a secret' }).click();
  const signing = dialog.getByLabel('Signing secret', { exact: true });
  expect(await signing.inputValue()).toMatch(/^whsec_[\w+/]{43}=$/);
  await dialog.getByRole('button', { name: 'Add a parameter' }).click();
  await dialog.getByLabel('Parameter 1: name').fill('order_id');
  await dialog.getByLabel('Parameter 1: description').fill('The number on the receipt.');
  await dialog.getByRole('button', { name: 'Add a parameter' }).click();
  await dialog.getByLabel('Parameter 2: name').fill('count');
  await dialog.getByLabel('Parameter 2: type').selectOption('whole number');
  await dialog.getByLabel('Parameter 2: required').uncheck();

  const call = dialog.getByRole('button', { name: 'Call it once' });
  await call.click();
  await dialog.getByText(/arguments: .*must have required property 'order_id'/).waitFor();
  await dialog.getByLabel('order_id').fill('A-1');
  await dialog.getByLabel('count').fill('2');
  await call.click();
  await dialog.getByText('succeeded').waitFor();
  await dialog.getByText(/"state": "sent"/).waitFor();
  expect(receiver.received.at(-1)).toMatchObject({
    json: { order_id: 'A-1', count: 2 },
    headers: { 'parley-test': 'true', 'parley-agent-id': id, authorization: 'Bearer tok-1' },
  });
  await expectAccessible(page);
  await done.click();
  await page.getByText('order_status').waitFor();
  await page.getByText('What changes').click();
  await page.getByText('"secret": "new"').waitFor();
  expect(await page.getByRole('main').textContent()).not.toMatch(/tok-1|whsec_/);

  await page.getByText('When a human agent takes over').click();
  await page.getByLabel('Only during certain hours').check();
  await page.getByLabel('Time zone').fill('Europe/Berlin');
  const period = page.getByRole('group', { name: 'Period 1' });
  await period.getByLabel('Fri').uncheck();
  await period.getByLabel('from').fill('08:30');
  await page.getByLabel('Closed on these dates').fill('2026-12-25\n');
  await expectAccessible(page);
  await button(page, 'Save and make it live').click();
  await text(page, 'version 2 is live');
  const saved = await ok(parley.GET('/v1/agents/{id}', { params: { path: { id } } }));
  const stored = { name: `${id.replace('_', '-')}-key`, key: expect.stringMatching(/^key-/) };
  expect(saved.tools).toEqual([
    {
      type: 'webhook',
      name: 'order_status',
      description: 'Looks up an order.',
      url: receiver.url,
      secret_ref: stored,
      signing_secret_ref: stored,
      parameters: {
        type: 'object',
        properties: {
          order_id: { type: 'string', description: 'The number on the receipt.' },
          count: { type: 'integer' },
        },
        required: ['order_id'],
        additionalProperties: false,
      },
    },
  ]);
  expect(saved.escalation).toEqual({
    hours: {
      time_zone: 'Europe/Berlin',
      open: [{ days: ['mon', 'tue', 'wed', 'thu'], from: '08:30', to: '17:00' }],
      closed_on: ['2026-12-25'],
    },
  });

  // The saved tool is called where it is shown, too.
  await page.getByText('order_status', { exact: true }).first().click();
  await page.getByLabel('order_id').fill('A-2');
  await button(page, 'Call it once').click();
  await text(page, 'succeeded');
  expect(receiver.received.at(-1)).toMatchObject({
    json: { order_id: 'A-2' },
    headers: { authorization: 'Bearer tok-1' },
  });
  await expectAccessible(page);
});

test('who judges an ended conversation is chosen, with what is for a model alone, and compared', async () => {
  const { page, parley } = await openDashboard();
  const id = await newAgent(parley, {});
  await page.goto(`/agents/${id}`);
  await button(page, 'Change').click();
  await page.getByText('Judgement of ended conversations').click();
  expect(await page.getByLabel('Topics to choose from').count()).toBe(0);
  await page.getByLabel('Judge ended conversations').selectOption('by a model as well');
  await page.getByLabel('Topics to choose from').fill('delivery\n returns \n');
  await page.getByLabel('Judging model', { exact: true }).fill('judge-1');
  await button(page, 'Save and make it live').click();
  await text(page, 'version 2 is live');
  await text(page, 'delivery, returns');
  const params = { path: { id } };
  expect((await ok(parley.GET('/v1/agents/{id}', { params }))).judgement).toEqual({
    by: 'model',
    model: { name: 'judge-1' },
    topics: ['delivery', 'returns'],
  });
  await follow(page, `/agents/${id}/versions?from=1&to=2`);
  await page.getByRole('heading', { name: 'Judgement' }).waitFor();
});

test('what is taken out of users’ words is chosen, compared, and said beside the turn', async () => {
  const { page, parley } = await openDashboard();
  const id = await newAgent(parley, { redaction: ['phone'] });
  await page.goto(`/agents/${id}`);
  await text(page, 'telephone numbers');
  await button(page, 'Change').click();
  await page.getByText('Advanced: limits, privacy').click();
  const group = page.getByRole('group', { name: 'Redact from user messages' });
  await group.getByLabel('card numbers').check();
  await group.getByLabel('e-mail addresses').check();
  await group.getByLabel('telephone numbers').uncheck();
  await button(page, 'Save and make it live').click();
  await text(page, 'version 2 is live');
  await follow(page, `/agents/${id}/versions?from=1&to=2`);
  await page.getByRole('heading', { name: 'Redaction' }).waitFor();

  const { id: talk } = await ok(parley.POST('/v1/conversations', { body: { agent_id: id } }));
  const said = 'It is 4111 1111 1111 1111, ann@example.com or bob@example.org, +44 20 7946 0958.';
  const params = { path: { id: talk } };
  await ok(parley.POST('/v1/conversations/{id}/messages', { params, body: { text: said } }));
  await follow(page, `/conversations/${talk}`);
  const transcript = page.getByRole('log', { name: 'Transcript' });
  await transcript.getByText('It is [card], [email] or [email], +44 20 7946 0958.').waitFor();
  await transcript.getByText('card number, 2 e-mail addresses removed').waitFor();
});
