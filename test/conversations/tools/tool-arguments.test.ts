import { describe, expect, test } from 'vitest';
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

describe('arguments within another object', () => {
  const strict = { ...needs('id'), additionalProperties: false };

  test.each([
    '{"arguments":{"id":"1"}}',
    '{"parameters":{"id":"1"}}',
    '{"input":"{\\"id\\":\\"1\\"}"}',
  ])('are taken if the schema takes nothing else: %s', (text) => {
    expect(createReadArguments()(tool, strict, text)).toEqual({ value: { id: '1' } });
  });

  test.each([
    '{"arguments":{"id":1}}',
    '{"arguments":{"id":"1"},"id":2}',
    '{"arguments":["1"]}',
    '{"arguments":null}',
    '{"order":{"id":"1"}}',
    '{}',
  ])('are refused if they are doubtful: %s', (text) => {
    expect(createReadArguments()(tool, strict, text)).toHaveProperty('problem');
  });

  test('are what the tool wants by that name', () => {
    const text = '{"input":{"id":"1"}}';
    expect(createReadArguments()(tool, { type: 'object' }, text)).toEqual({
      value: { input: { id: '1' } },
    });
  });
});
