import { expect, test } from 'vitest';
import { createReadArguments } from '../../../src/conversations/tools/tool-arguments.ts';

const needs = (name: string) => ({ properties: { [name]: { type: 'string' } }, required: [name] });
const tool = { namespace: 'default', agentId: 'agent-1', agentVersion: 1, name: 'order' };

test.each([
  ['version', { agentVersion: 2 }],
  ['agent', { agentId: 'agent-2' }],
  ['name', { name: 'invoice' }],
])('a tool of another %s is checked by its own schema', (_, other) => {
  const read = createReadArguments();
  expect(read(tool, needs('id'), '{"id":"1"}')).toEqual({ value: { id: '1' } });
  expect(read({ ...tool, ...other }, needs('number'), '{"number":"1"}')).toEqual({
    value: { number: '1' },
  });
  expect(read({ ...tool, ...other }, needs('number'), '{"id":"1"}')).toHaveProperty('problem');
  expect(read(tool, needs('id'), '{"id":"1"}')).toEqual({ value: { id: '1' } });
});
