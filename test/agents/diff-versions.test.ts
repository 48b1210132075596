import { expect, test } from 'vitest';
import { diffContent } from '../../src/agents/agent-versions.routes.ts';

/** What changed between two versions, in as few lines as possible. */

test.each([
  ['equal values', { a: { b: [1] } }, { a: { b: [1] } }, []],
  ['a key inside', { a: { b: 1 } }, { a: { b: 2 } }, [{ path: '/a/b', before: 1, after: 2 }]],
  ['a key that is new', {}, { a: 1 }, [{ path: '/a', before: null, after: 1 }]],
  ['a key that is gone', { a: 1 }, {}, [{ path: '/a', before: 1, after: null }]],
  [
    'an object for a text',
    { a: 't' },
    { a: { b: 1 } },
    [{ path: '/a', before: 't', after: { b: 1 } }],
  ],
  [
    'a text for an object',
    { a: { b: 1 } },
    { a: 't' },
    [{ path: '/a', before: { b: 1 }, after: 't' }],
  ],
  [
    'null for an object',
    { a: { b: 1 } },
    { a: null },
    [{ path: '/a', before: { b: 1 }, after: null }],
  ],
  [
    'an object for null',
    { a: null },
    { a: { b: 1 } },
    [{ path: '/a', before: null, after: { b: 1 } }],
  ],
  ['a list without names', { a: [1] }, { a: [1, 2] }, [{ path: '/a', before: [1], after: [1, 2] }]],
  ['a list with null in it', { a: [null] }, { a: [] }, [{ path: '/a', before: [null], after: [] }]],
  [
    'a list of which not all have a name',
    { a: [{ name: 'x', n: 1 }, { n: 2 }] },
    { a: [] },
    [{ path: '/a', before: [{ name: 'x', n: 1 }, { n: 2 }], after: [] }],
  ],
  [
    'a list of texts beside named things',
    { a: [{ name: 'x' }, 'y'] },
    { a: [] },
    [{ path: '/a', before: [{ name: 'x' }, 'y'], after: [] }],
  ],
  [
    'things by their names, in any order',
    {
      a: [
        { name: 'x', n: 1 },
        { name: 'y', n: 1 },
      ],
    },
    {
      a: [
        { name: 'y', n: 2 },
        { name: 'x', n: 1 },
      ],
    },
    [{ path: '/a/y/n', before: 1, after: 2 }],
  ],
  ['signs of a pointer', { 'a/b~c': 1 }, {}, [{ path: '/a~1b~0c', before: 1, after: null }]],
])('%s', (_, before, after, changes) => {
  expect(diffContent(before, after)).toEqual(changes);
});
