import { afterEach, beforeEach, expect, test } from 'vitest';
import { SCOPES } from '../../src/platform/http/authorize.ts';
import { createAgent, deleteAgent, patchAgent } from '../../src/agents/write-agent.ts';
import { publishVersion, rollBack } from '../../src/agents/pin-agent.ts';
import { createEndpoint, patchEndpoint } from '../../src/webhooks/endpoints/write-endpoint.ts';
import { apiDeps } from '../agents/agents.ts';
import { describeEachStore } from '../roles/each-store.ts';
import { startEngine, type Engine } from '../roles/engine.ts';

/** Declarations of others than the API leave lines too, each one (contract/audit-log.md#other-declarers). */

type Line = { actor: string; action: string; before: unknown; after: unknown; detail: unknown };

describeEachStore((storeName) => {
  let engine: Engine;
  let operator: { stop: () => Promise<void> };
  beforeEach(async () => {
    engine = await startEngine(storeName);
    operator = await engine.startOperator();
  });
  afterEach(() => engine.stop());

  const CALLER = { namespace: 'default', actor: 'api:key_1', scopes: SCOPES };
  const apply = async (kind: string, spec: Record<string, unknown>, manager = 'kubectl') => {
    await engine.store.apply(
      { kind, namespace: 'default', name: 'one', spec },
      { fieldManager: manager },
    );
    return engine.settled(kind, 'one');
  };
  const lines = async (): Promise<Line[]> => {
    const { rows } = await engine.pool.query<Line & { address: unknown; outcome: string }>(
      `select actor, action, before, after, detail, address, outcome from audit_log order by id`,
    );
    for (const { address, outcome } of rows) expect([address, outcome]).toEqual([null, 'done']);
    return rows;
  };
  const told = async () => (await lines()).map(({ actor, action }) => `${actor} ${action}`);
  const gone = async (kind: string, table: string) => {
    await engine.store.delete(kind, { namespace: 'default', name: 'one' });
    await engine.eventually(async () => {
      const { rows } = await engine.pool.query(
        `select 1 from ${table} where name = 'one' and deleted_at is null`,
      );
      return rows.length === 0;
    });
  };
  const restart = async () => {
    await operator.stop();
    operator = await engine.startOperator();
    // It has looked at everything once it deals with what is declared after.
    await engine.store.apply(
      { kind: 'KnowledgeSource', namespace: 'default', name: 'last', spec: { type: 'file' } },
      { fieldManager: 'parley-api' },
    );
    await engine.settled('KnowledgeSource', 'last');
  };

  test('an agent of kubectl: created, updated, the same again, deleted', async () => {
    await apply('Agent', { prompt: 'hidden one', displayName: 'One' });
    await apply('Agent', { prompt: 'hidden two', displayName: 'Two' });
    await apply('Agent', { prompt: 'hidden two', displayName: 'Two' });
    await apply('Agent', { prompt: 'hidden two' });
    await apply('Agent', { pinnedVersion: 1 }, 'oncall');
    await restart();
    await gone('Agent', 'agents');
    const all = await lines();
    const versions = (active: number, latest: number) => ({
      active_version: active,
      latest_version: latest,
    });
    expect(
      all.map(({ actor, action, before, after, detail }) => [actor, action, before, after, detail]),
    ).toEqual([
      [
        'kubernetes:kubectl',
        'agent.created',
        null,
        expect.objectContaining({
          name: 'one',
          display_name: 'One',
          managed_by: 'kubernetes',
          ...versions(1, 1),
        }),
        {},
      ],
      [
        'kubernetes:kubectl',
        'agent.updated',
        { display_name: 'One', ...versions(1, 1) },
        { display_name: 'Two', ...versions(2, 2) },
        { changed: ['display_name', 'prompt'] },
      ],
      [
        'kubernetes:kubectl',
        'agent.updated',
        { display_name: 'Two', ...versions(2, 2) },
        { display_name: null, ...versions(2, 2) },
        { changed: ['display_name'] },
      ],
      [
        'kubernetes:oncall',
        'agent.updated',
        { pinned_version: null, ...versions(2, 2) },
        { pinned_version: 1, ...versions(1, 2) },
        { changed: ['pinned_version'] },
      ],
      [
        'kubernetes:unknown',
        'agent.deleted',
        { name: 'one', managed_by: 'kubernetes', ...versions(1, 2) },
        null,
        {},
      ],
    ]);
    expect(JSON.stringify(all)).not.toContain('hidden');
  });

  test('an endpoint: where it sends, no query, no value; the same again adds none', async () => {
    const url = 'https://example.com/hook?token=hidden';
    await apply('WebhookEndpoint', { url, metadata: { team: 'hidden' } });
    await apply('WebhookEndpoint', { url, suspend: true, metadata: { team: 'hidden too' } });
    await apply('WebhookEndpoint', { url, suspend: true, metadata: { team: 'hidden too' } });
    await restart();
    await gone('WebhookEndpoint', 'webhook_endpoints');
    const all = await lines();
    expect(all).toMatchObject([
      {
        actor: 'kubernetes:kubectl',
        action: 'webhook.created',
        before: null,
        after: { url: 'https://example.com/hook', enabled: true, managed_by: 'kubernetes' },
      },
      {
        actor: 'kubernetes:kubectl',
        action: 'webhook.updated',
        before: { enabled: true },
        after: { enabled: false },
        detail: { changed: ['enabled', 'metadata.team'] },
      },
      {
        actor: 'kubernetes:unknown',
        action: 'webhook.deleted',
        before: { url: 'https://example.com/hook', enabled: false },
        after: null,
      },
    ]);
    expect(JSON.stringify(all)).not.toContain('hidden');
  });

  test('a source: its text only by name, an index that follows adds none', async () => {
    await apply('KnowledgeSource', { type: 'text', text: 'hidden one' });
    await apply('KnowledgeSource', { type: 'text', text: 'hidden two' });
    await apply('KnowledgeSource', { type: 'text', text: 'hidden two' });
    await restart();
    await gone('KnowledgeSource', 'knowledge_sources');
    const all = await lines();
    expect(all).toMatchObject([
      { action: 'knowledge_source.created', after: { name: 'one', type: 'text' } },
      { action: 'knowledge_source.updated', detail: { changed: ['text'] } },
      { action: 'knowledge_source.deleted', before: { name: 'one', documents: 1 }, after: null },
    ]);
    expect(JSON.stringify(all)).not.toContain('hidden');
  });

  test('what REST writes has one line of its own, also where it writes beside others', async () => {
    const deps = apiDeps(engine);
    const { row } = await createAgent(deps, CALLER, { name: 'two', fields: { prompt: 'a' } });
    const patch = { prompt: 'b', first_message: 'Hi' };
    await patchAgent(deps, CALLER, { id: row.id, patch });
    await patchAgent(deps, CALLER, { id: row.id, patch: { first_message: null } });
    await deleteAgent(deps, CALLER, { id: row.id });
    await apply('Agent', { prompt: 'a' });
    await apply('Agent', { prompt: 'b' });
    const { rows } = await engine.pool.query<{ id: string }>(
      `select id from agents where name = 'one'`,
    );
    const id = rows[0]!.id;
    await patchAgent(deps, CALLER, { id, patch: { display_name: 'One' } });
    await patchAgent(deps, CALLER, { id, patch: { display_name: null } });
    await rollBack(deps, CALLER, { id, version: 1, reason: null });
    await publishVersion(deps, CALLER, { id, version: undefined });
    const made = await createEndpoint(deps, CALLER, { url: 'https://example.com/' });
    const change = { id: made.row.id, patch: { description: 'x', headers: { 'x-a': 'b' } } };
    await patchEndpoint(deps, CALLER, change);
    await patchEndpoint(deps, CALLER, { id: made.row.id, patch: { description: null } });
    expect((await told()).filter((line) => !line.startsWith('api:'))).toEqual([
      'kubernetes:kubectl agent.created',
      'kubernetes:kubectl agent.updated',
    ]);
    expect(await told()).toHaveLength(13);
  });

  test('what REST made and kubectl deletes has a line, what REST deletes not a second', async () => {
    const deps = apiDeps(engine);
    await createAgent(deps, CALLER, { name: 'one', fields: { prompt: 'a' } });
    await gone('Agent', 'agents');
    const { row } = await createAgent(deps, CALLER, { name: 'one', fields: { prompt: 'a' } });
    await deleteAgent(deps, CALLER, { id: row.id });
    expect(await told()).toEqual([
      'api:key_1 agent.created',
      'kubernetes:unknown agent.deleted',
      'api:key_1 agent.created',
      'api:key_1 agent.deleted',
    ]);
  });
});
