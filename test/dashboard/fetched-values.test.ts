import { expect, test } from 'vitest';
import { mergePatch } from '../../packages/dashboard/src/form/merge.ts';
import {
  fieldsOf,
  valuesOf,
  type FetchedType,
  type FetchedValues,
} from '../../packages/dashboard/src/pages/knowledge/fetched/fetched-values.ts';

/** The request that the form of a website or an integration makes of its values. */

const url = 'https://help.example.com/feed';
const secretRef = { name: 'feed', key: 'token' };
const feed = valuesOf({
  name: 'help',
  integration: {
    url,
    headers: { 'x-team': 'a' },
    secret_ref: secretRef,
    signing_secret_ref: { name: 'feed', key: 'signing' },
  },
  schedule: '@daily',
});
const site = valuesOf({ website: { url, max_pages: 10, exclude: ['/a/*'] } });

const patchOf = (type: FetchedType, before: FetchedValues, after: FetchedValues) =>
  mergePatch(fieldsOf(type, before), fieldsOf(type, after));

test('a new integration has the values that were typed', () => {
  const integration = { ...valuesOf({}).integration, url };
  expect(fieldsOf('integration', { ...valuesOf({}), integration })).toEqual({
    integration: { url },
  });
});

test('a new website has its patterns line by line, and a depth of 0', () => {
  const website = { ...valuesOf({}).website, url, max_depth: 0, include: ' /a/* \n\n/b/*\n' };
  expect(fieldsOf('website', { ...valuesOf({}), website })).toEqual({
    website: { url, max_depth: 0, include: ['/a/*', '/b/*'] },
  });
});

test('a form that nobody changed has no patch', () => {
  expect(patchOf('integration', feed, feed)).toBeUndefined();
});

test.each(['secret_ref', 'signing_secret_ref'] as const)('an emptied %s is null', (name) => {
  const integration = { ...feed.integration, [name]: { name: '', key: '' } };
  expect(patchOf('integration', feed, { ...feed, integration })).toEqual({
    integration: { [name]: null },
  });
});

test('a patch has the changed member of a reference only', () => {
  const integration = { ...feed.integration, secret_ref: { ...secretRef, key: 'new' } };
  expect(patchOf('integration', feed, { ...feed, integration })).toEqual({
    integration: { secret_ref: { key: 'new' } },
  });
});

test('emptied values are null', () => {
  expect(patchOf('integration', feed, { ...feed, schedule: ' ' })).toEqual({ schedule: null });
  const { website } = valuesOf({ website: { url } });
  expect(patchOf('website', site, { ...site, website })).toEqual({
    website: { max_pages: null, exclude: null },
  });
});
