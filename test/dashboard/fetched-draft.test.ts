import { expect, test } from 'vitest';
import {
  draftOf,
  EMPTY_DRAFT,
  newSourceOf,
  patchOf,
} from '../../packages/dashboard/src/data/fetched-draft.ts';

/** What is sent of the fields of a website or an integration: what was written, and nothing else. */

const url = 'https://help.example.com/feed';
const integration = { url, headers: { 'x-team': 'a' } };
const feed = draftOf({
  name: 'help',
  website: null,
  integration: {
    ...integration,
    secret_ref: { name: 'feed', key: 'token' },
    signing_secret_ref: { name: 'feed', key: 'signing' },
  },
  schedule: '@daily',
});

test('a new one says what was written', () => {
  expect(newSourceOf('integration', { ...EMPTY_DRAFT, url: ` ${url} ` })).toEqual({
    type: 'integration',
    integration: { url },
  });
  const draft = { ...EMPTY_DRAFT, name: 'help', url, depth: '0', include: ' /a/* \n\n/b/*\n' };
  expect(newSourceOf('website', draft)).toEqual({
    type: 'website',
    name: 'help',
    website: { url, max_depth: 0, include: ['/a/*', '/b/*'] },
  });
});

test('a change says what differs; what was emptied is null, and what has no field stays', () => {
  expect(patchOf('integration', feed, feed)).toEqual({});
  expect(patchOf('integration', { ...feed, signing: '', signingKey: '' }, feed)).toEqual({
    integration: { signing_secret_ref: null },
  });
  expect(patchOf('integration', { ...feed, tokenKey: 'new' }, feed)).toEqual({
    integration: { secret_ref: { name: 'feed', key: 'new' } },
  });
  expect(patchOf('integration', { ...feed, schedule: ' ' }, feed)).toEqual({ schedule: null });
  const site = { ...EMPTY_DRAFT, url, pages: '10', exclude: '/a/*' };
  expect(patchOf('website', { ...site, pages: '', exclude: '' }, site)).toEqual({
    website: { max_pages: null, exclude: null },
  });
});
