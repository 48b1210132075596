import { expect } from 'vitest';
import type { Reply } from '../roles/api/api-setup.ts';
import { newTenant, type Tenant } from '../roles/api/shared-api.ts';

/** An agent whose version 2 was rolled back to version 1, or whose version 1 was replaced by version 2. */
export type RecallFixture = Tenant & {
  agentId: string;
  path: string;
  agent: () => Promise<Reply['body']>;
  patch: (json: Record<string, unknown>) => Promise<Reply>;
  recall: (versions: number[], more?: Record<string, unknown>) => Promise<Reply>;
};

/** Creates an agent with the prompts of these versions, the last of which is live. */
export async function startRecallFixture(
  prompts: readonly string[] = ['One.', 'Two.'],
  fields: Record<string, unknown> = {},
): Promise<RecallFixture> {
  const tenant = await newTenant();
  const { call } = tenant;
  const [prompt, ...later] = prompts;
  const made = await call('POST', '/v1/agents', { json: { prompt, ...fields } });
  expect(made.status).toBe(201);
  const agentId = String(made.body.id);
  const path = `/v1/agents/${agentId}`;
  const fixture: RecallFixture = {
    ...tenant,
    agentId,
    path,
    agent: async () => (await call('GET', path)).body,
    patch: (json) => call('PATCH', path, { json }),
    recall: (versions, more = {}) =>
      call('POST', `${path}/recalls`, { json: { versions, ...more } }),
  };
  for (const next of later) expect((await fixture.patch({ prompt: next })).status).toBe(200);
  return fixture;
}

/** Recalls the second of two versions after a rollback to the first. */
export async function recalledTwo(fields: Record<string, unknown> = {}): Promise<RecallFixture> {
  const fixture = await startRecallFixture(['One.', 'Two.'], fields);
  const { call, path, recall } = fixture;
  await call('POST', `${path}/publish`, { json: { version: 1 } });
  expect(await recall([2], { reason: 'It gave money away.' })).toMatchObject({ status: 201 });
  return fixture;
}
