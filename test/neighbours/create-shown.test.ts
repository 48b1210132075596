import { expect, test } from 'vitest';
import type { Answer } from './attack.ts';
import { createShown } from './create-shown.ts';

/** Answers the requests in order, and notes them. */
function answering(...answers: Answer[]) {
  const asked: string[] = [];
  const send = async (method: string, path: string): Promise<Answer> => {
    asked.push(`${method} ${path}`);
    return answers.shift()!;
  };
  return { send, asked };
}
const ID = { id: 'agt_1' };

test('what is created at once is not asked for', async () => {
  const { send, asked } = answering({ status: 201, body: ID });
  expect(await createShown(send, '/v1/agents', {})).toEqual(ID);
  expect(asked).toEqual(['POST /v1/agents']);
});

test('what the operator has not seen yet is waited for until it is active', async () => {
  const { send, asked } = answering(
    { status: 202, body: ID },
    { status: 404, body: {} },
    { status: 200, body: { ...ID, active_version: null } },
    { status: 200, body: { ...ID, active_version: 1 } },
  );
  expect(await createShown(send, '/v1/agents', {})).toEqual(ID);
  expect(asked).toEqual(['POST /v1/agents', ...Array(3).fill('GET /v1/agents/agt_1')]);
});

test('a refusal is an error that has the answer', async () => {
  const { send } = answering({ status: 409, body: { code: 'quota_exceeded' } });
  await expect(createShown(send, '/v1/agents', {})).rejects.toThrow(
    'POST /v1/agents was answered 409: {"code":"quota_exceeded"}',
  );
});
