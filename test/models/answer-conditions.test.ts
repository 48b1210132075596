import { APIError } from 'openai';
import { describe, expect, test, vi } from 'vitest';
import { createAnswerDraft } from '../../src/models/answers/answer-draft.ts';
import { createCallAssembly } from '../../src/models/answers/call-assembly.ts';
import { readChunk } from '../../src/models/answers/read-chunk.ts';
import { readEvents } from '../../src/models/answers/read-events.ts';
import { createThinkingFilter } from '../../src/models/answers/thinking-filter.ts';
import { readEmbeddings } from '../../src/models/embeddings/read-embeddings.ts';
import { readFailure } from '../../src/models/model-failure.ts';

/** The conditions that separate the parts of an answer, with one case for each half. */

type Part = { index?: number; id?: string; name?: string; text: string };

describe('a piece of a call', () => {
  const given = ({ index, id, name, text }: Part) => ({
    ...(index !== undefined && { index }),
    ...(id !== undefined && { id }),
    function: { ...(name !== undefined && { name }), arguments: text },
  });
  /** The arguments of the calls that pieces in chunks of their own become. */
  const callsOf = (...parts: Part[]): string[] => {
    const calls = createCallAssembly();
    for (const part of parts) calls.take([given(part)], false);
    return calls.finished().map((call) => call.arguments);
  };
  const FIRST: Part = { index: 0, id: 'c', name: 'n', text: '{"a":1}' };
  const [A, B] = ['{"a":1}', '{"b":2}'];

  test.each<[string, Part, Part]>([
    ['names another id', FIRST, { index: 0, id: 'd', name: 'n', text: B }],
    ['names another id alone', FIRST, { index: 0, id: 'd', text: B }],
    ['names no id, and is an object', FIRST, { index: 0, text: B }],
    ['names another tool', FIRST, { index: 0, id: 'c', name: 'o', text: B }],
    ['has other arguments', FIRST, { index: 0, id: 'c', name: 'n', text: B }],
    ['has another index', FIRST, { index: 1, id: 'd', name: 'n', text: B }],
    ['follows a whole call', { name: 'n', text: A }, { name: 'n', text: B }],
    ['names a tool, before any arguments', { name: 'n', text: '' }, { name: 'n', text: '' }],
    ['names a tool, after an empty object', { name: 'n', text: '{}' }, { name: 'n', text: '' }],
  ])('begins another call if it %s', (_, first, second) => {
    expect(callsOf(first, second)).toHaveLength(2);
  });

  test.each<[string, Part, Part, string]>([
    ['is no object', FIRST, { index: 0, text: 'x' }, `${A}x`],
    ['repeats the id alone', FIRST, { index: 0, id: 'c', text: B }, `${A}${B}`],
    ['has no arguments', FIRST, { index: 0, id: 'c', name: 'n', text: '' }, A],
    [
      'follows a part of an object',
      { index: 0, id: 'c', name: 'n', text: '{"a":' },
      { index: 0, text: '{"b":2}}' },
      '{"a":{"b":2}}',
    ],
    [
      'names the tool again in the middle',
      { index: 0, name: 'n', text: '{"a":' },
      { index: 0, name: 'n', text: '1}' },
      A,
    ],
    [
      'names the tool again before any arguments',
      { index: 0, name: 'n', text: '' },
      { index: 0, name: 'n', text: A },
      A,
    ],
    [
      'names id and tool again before any arguments',
      { id: 'c', name: 'n', text: '' },
      { id: 'c', name: 'n', text: A },
      A,
    ],
    ['names no id, but its tool and index', FIRST, { index: 0, name: 'n', text: '' }, A],
    [
      'names the tool later',
      { index: 0, id: 'c', text: '' },
      { index: 0, id: 'c', name: 'n', text: A },
      A,
    ],
    [
      'names neither id nor index in the middle',
      { name: 'n', text: '{"a":' },
      { name: 'n', text: '1}' },
      A,
    ],
    [
      'follows an empty object that stood for the arguments',
      { index: 0, id: 'c', name: 'n', text: '{}' },
      { index: 0, id: 'c', name: 'n', text: A },
      A,
    ],
    ['follows a text', { index: 0, name: 'n', text: '"x"' }, { index: 0, text: '{' }, '"x"{'],
    ['follows a list', { index: 0, name: 'n', text: '[1]' }, { index: 0, text: '{' }, '[1]{'],
  ])('belongs to the call before if it %s', (_, first, second, whole) => {
    expect(callsOf(first, second)).toEqual([whole]);
  });

  test.each([null, undefined])('has no arguments if they are %s', (none) => {
    const calls = createCallAssembly();
    for (const text of [none, A]) {
      calls.take([{ index: 0, id: 'c', function: { name: 'n', arguments: text } }], false);
    }
    expect(calls.finished()).toMatchObject([{ arguments: A }]);
  });

  test('is parsed to see whether a call is complete 100 times at most', () => {
    const parse = vi.spyOn(JSON, 'parse');
    const pieces = Array.from({ length: 5_000 }, (): Part => ({ index: 0, text: '{}' }));
    const [text] = callsOf({ index: 0, id: 'c', name: 'n', text: '{"q":"' }, ...pieces);
    expect(text).toBe(`{"q":"${'{}'.repeat(5_000)}`);
    // A check tries a few ways to unwrap the text.
    expect(parse.mock.calls.length).toBeLessThan(1_000);
  });

  test('belongs to the call that its id names, else to the last one', () => {
    const both: Part[] = [
      { id: 'c', name: 'n', text: '{' },
      { id: 'd', name: 'n', text: '[' },
    ];
    expect(callsOf(...both, { id: 'c', text: '}' })).toEqual(['{}', '[']);
    expect(callsOf(...both, { text: ']' })).toEqual(['{', '[]']);
  });
});

describe('thinking in an answer', () => {
  const said = (...pieces: string[]): string => {
    const filter = createThinkingFilter({ isHeld: false });
    const texts = pieces.map((piece) => filter.take(piece).text);
    return texts.join('') + filter.end();
  };

  test.each([
    [['Hello', ' <think>x</think>', 'there'], 'Hello there'],
    [[' <think>x</think>', ' there'], 'there'],
    [['<think>x</think> one', ' two'], 'one two'],
    [[' one', ' two'], ' one two'],
    [['one <th', 'ree'], 'one <three'],
    [['one <think> two', ' three</think> four'], 'one  four'],
    [['one ', ' ', 'two'], 'one  two'],
    [['one < two ', 'three'], 'one < two three'],
  ])('in %j leaves %j', (pieces, text) => {
    expect(said(...pieces)).toBe(text);
  });

  test('is looked for at the end of a piece, which else is said at once', () => {
    const filter = createThinkingFilter({ isHeld: false });
    expect(filter.take('one < two ').text).toBe('one < two ');
    expect(filter.take('three <th').text).toBe('three ');
  });

  test.each([
    ['', false],
    ['<think>', true],
    ['word', false],
  ])('%j is hidden: %s', (piece, isHidden) => {
    expect(createThinkingFilter({ isHeld: false }).take(piece).isHidden).toBe(isHidden);
  });
});

describe('an answer so far', () => {
  const sink = { say: () => undefined, takeBack: () => undefined };
  const call = { index: 0, id: 'c', function: { name: 'n', arguments: '{}' } };
  const draftOf = (...chunks: [choice: object, ...rest: object[]]) => {
    const draft = createAnswerDraft();
    const taken = chunks.map((choice) => draft.take({ choices: [choice] }, sink));
    return { draft, taken };
  };

  test.each([
    ['a text', { delta: { content: 'x' } }, 'part'],
    ['a call', { delta: { tool_calls: [call] } }, 'part'],
    ['reasoning', { delta: { reasoning_content: 'r' } }, 'busy'],
    ['hidden text', { delta: { content: '<think>' } }, 'busy'],
    ['nothing', { delta: {} }, 'idle'],
    ['no message', {}, 'idle'],
    ['a text that is too long', { delta: { content: 'x'.repeat(256 * 1024 + 1) } }, 'full'],
    ['too many calls', { delta: { tool_calls: Array.from({ length: 33 }, () => call) } }, 'full'],
  ])('takes %s', (_, choice, taken) => {
    expect(draftOf(choice).taken).toEqual([taken]);
  });

  test('takes a closing tag that shows that all before was thinking as a part', () => {
    const { draft, taken } = draftOf(
      { delta: { content: 'thought' } },
      { delta: { content: '</think>' } },
    );
    expect(taken).toEqual(['part', 'part']);
    expect(draft.text).toBe('');
  });

  test.each([
    ['has its last word', [{ finish_reason: 'stop' }], false, true],
    ['was done with a text', [{ delta: { content: 'x' } }], true, true],
    ['was done with a call', [{ delta: { tool_calls: [call] } }], true, true],
    ['was done with thinking', [{ delta: { content: '<think>' } }], true, true],
    ['was done with nothing', [{ delta: {} }], true, false],
    ['broke off', [{ delta: { content: 'x' } }], false, false],
    ['is full', [{ delta: { content: 'x'.repeat(256 * 1024 + 1) } }], false, true],
  ] as [string, [object], boolean, boolean][])('that %s is finished', (_, chunks, isDone, is) => {
    const { draft } = draftOf(...chunks);
    draft.end(isDone, sink);
    expect(draft.isFinished).toBe(is);
  });

  test.each([
    ['length', 'length'],
    ['content_filter', 'content_filter'],
    ['stop', 'tool_calls'],
    ['odd', 'tool_calls'],
  ])('with a call that ended by %s ends by %s', (finish_reason, reason) => {
    const { draft } = draftOf({ delta: { tool_calls: [call] } }, { finish_reason });
    expect(draft.finishReason()).toBe(reason);
  });

  test('takes the message beside the last delta only if no delta had anything', () => {
    const message = { content: 'whole' };
    for (const [delta, text] of [
      [{}, 'whole'],
      [{ content: 'x' }, 'x'],
      [{ content: '<think>' }, ''],
      [{ tool_calls: [call] }, ''],
    ] as const) {
      const { draft } = draftOf({ delta, message });
      draft.end(true, sink);
      expect(draft.text).toBe(text);
    }
  });

  test('takes what is new in a message without a delta', () => {
    const { draft } = draftOf(
      { message: { content: 'one', tool_calls: [call] } },
      { message: { content: 'one two', tool_calls: [call] } },
      { message: { content: 'three' } },
    );
    expect(draft.text).toBe('one twothree');
    expect(draft.toolCalls()).toHaveLength(1);
  });

  test('joins texts and lists of other fields, and replaces a value of another type', () => {
    const extraOf = (...values: unknown[]) => {
      const [first, ...rest] = values.map((reasoning_details) => ({
        delta: { reasoning_details },
      }));
      return draftOf(first!, ...rest).draft.extra()['reasoning_details'];
    };
    expect(extraOf('a', 'b')).toBe('ab');
    expect(extraOf([1], [2])).toEqual([1, 2]);
    expect(extraOf([1], 'b')).toBe('b');
    expect(extraOf('a', [2])).toEqual([2]);
  });

  test('has no last word that is empty', () => {
    expect(readChunk({ choices: [{ finish_reason: '' }] }).finish).toBeUndefined();
  });
});

describe('an event of a stream', () => {
  const read = async (...events: string[]): Promise<unknown[]> => {
    const body = new Blob([events.map((event) => `${event}\n\n`).join('')]).stream();
    const found: unknown[] = [];
    const { signal } = new AbortController();
    for await (const events of readEvents(new Response(), body, signal)) {
      if (typeof events !== 'string') found.push(...events);
    }
    return found;
  };

  test.each([
    'data:',
    'data: ping',
    'data: keep-alive',
    'event: heartbeat\ndata: x',
    'event: a\ndata: x',
  ])('%j carries nothing', async (event) => {
    expect(await read(event)).toEqual([]);
  });

  test.each(['data: x', 'event: message\ndata: x', 'event: error\ndata: x'])(
    '%j is no JSON',
    async (event) => {
      await expect(read(event)).rejects.toThrow(SyntaxError);
    },
  );

  test.each(['data: {"error":{"code":"x"}}', 'event: error\ndata: {"code":"x"}'])(
    '%j is an error',
    async (event) => {
      await expect(read(event)).rejects.toThrow(APIError);
    },
  );
});

test.each([
  [undefined, true],
  [400, true],
  [403, true],
  [422, true],
  [451, true],
  [401, false],
  [429, false],
  [500, false],
])('an error about content with the status %s is a refusal of the filter: %s', (status, is) => {
  const from = { provider: 'big', model: 'm' };
  const failed = (code: string) =>
    readFailure(new APIError(status, { code }, '', new Headers()), from).code;
  expect(failed('content_filter') === 'model_content_filter').toBe(is);
  expect(failed('other')).not.toBe('model_content_filter');
});

describe('embeddings', () => {
  const vector = (length: number, value = 1): number[] => Array.from({ length }, () => value);
  const sizeOf = (embedding: unknown): number =>
    readEmbeddings({ data: [{ embedding }] }, 1).vectors[0]!.length;

  test('have 1 to 8,192 numbers with a direction', () => {
    expect([sizeOf(vector(1)), sizeOf(vector(8_192))]).toEqual([1, 8_192]);
    for (const refused of [[], vector(8_193), vector(2, 0), vector(2, 1e39), 7]) {
      expect(() => sizeOf(refused)).toThrow('answered with');
    }
  });

  test('stand at different places among the texts', () => {
    const at = (...places: number[]) =>
      readEmbeddings({ data: places.map((index) => ({ index, embedding: [index + 1] })) }, 2);
    expect(at(1, 0).vectors).toHaveLength(2);
    for (const places of [
      [0, 0],
      [0, 2],
      [-1, 1],
    ]) {
      expect(() => at(...places)).toThrow('two embeddings for one text');
    }
  });

  test.each([
    [0, 0],
    [7, 7],
    [-1, null],
    ['7', null],
    [undefined, null],
  ])('took %j tokens: %j', (prompt_tokens, tokens) => {
    const answer = { data: [{ embedding: [1] }], usage: { prompt_tokens } };
    expect(readEmbeddings(answer, 1).tokens).toBe(tokens);
  });
});
