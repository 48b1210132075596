import { expect, test } from 'vitest';
import { DEFAULT_LIMITS } from '../../src/config.ts';
import { newUuid } from '../../src/ids.ts';
import { projectKind, type Beside } from '../../src/kinds/project-kind.ts';
import { MODEL_PROVIDER_KIND } from '../../src/models/model-provider.kind.ts';
import { raiseEpoch } from '../../src/platform/postgres/leadership.ts';
import { createSealer } from '../../src/platform/postgres/sealing.ts';
import { useRows } from '../platform/postgres/rows.ts';

/** Rows that a kind keeps beside its own: written together, or not at all. */

const stored = useRows('model_providers');
const PROBLEM = { reason: 'Taken', message: 'somebody else has it' };
const FOUND = { ready: true, reason: 'Answering', message: 'answers' };

/** One object; `written` counts how often the rows beside it were written. */
async function newObject() {
  const [id, uid] = [newUuid(), newUuid()];
  const { epoch } = await raiseEpoch(stored.pool, 'test');
  const sealer = createSealer(Buffer.alloc(32, 1));
  const notifier = { notify: () => undefined, stop: async () => undefined };
  const deps = { pool: stored.pool, sealer, notifier, limits: DEFAULT_LIMITS };
  const state = { taken: false, isWritten: true, written: 0 };
  const beside: Beside = {
    lock: async () => undefined,
    refusal: async () => (state.taken ? PROBLEM : undefined),
    isWritten: async () => state.isWritten,
    write: async () => {
      state.written += 1;
    },
  };
  const project = (generation: number, baseUrl: string) =>
    projectKind(MODEL_PROVIDER_KIND, deps, {
      epoch,
      declared: {
        id,
        uid,
        generation,
        name: id,
        namespace: 'default',
        managedBy: 'api',
        spec: { baseUrl },
      },
      found: FOUND,
      secret: { text: 'key' },
      whoElse: () => undefined,
      beside,
    });
  const active = async () =>
    (await MODEL_PROVIDER_KIND.rows.readActive(stored.pool, id))?.spec.baseUrl;
  const row = () => MODEL_PROVIDER_KIND.rows.read(stored.pool, { namespace: 'default', id });
  return { state, project, active, row };
}

test('what is refused beside the row keeps the active declaration, and the row says why', async () => {
  const { state, project, active, row } = await newObject();
  expect(await project(1, 'https://one.example')).toBeUndefined();
  state.taken = true;
  expect(await project(2, 'https://two.example')).toEqual(PROBLEM);
  expect(await row()).toMatchObject({
    generation: 2,
    spec: { baseUrl: 'https://two.example' },
    ready: false,
    ...PROBLEM,
  });
  expect(await active()).toBe('https://one.example');
  expect(state.written).toBe(1);
  state.taken = false;
  expect(await project(2, 'https://two.example')).toBeUndefined();
  expect(await row()).toMatchObject(FOUND);
  expect(await active()).toBe('https://two.example');
  expect(state.written).toBe(2);
});

test('rows beside an unchanged one are written if they differ, and only then', async () => {
  const { state, project } = await newObject();
  await project(1, 'https://one.example');
  await project(1, 'https://one.example');
  expect(state.written).toBe(1);
  state.isWritten = false;
  await project(1, 'https://one.example');
  expect(state.written).toBe(2);
});
