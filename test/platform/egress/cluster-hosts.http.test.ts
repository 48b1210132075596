import { afterEach, describe, expect, test } from 'vitest';
import { createAddressGuard } from '../../../src/platform/egress/address-guard.ts';
import type { Lookup } from '../../../src/platform/egress/name-lookup.ts';
import { createResolver } from '../../../src/platform/egress/resolver.ts';
import { createClient, post, receiver, stopAll } from './harness.ts';

/**
 * Cluster names that PARLEY_EGRESS_ALLOW opens (contract/running.md#egress), and the API server, which nothing opens.
 */

afterEach(stopAll);

const SERVICE = '10.96.7.7';
const API = '10.96.0.1';
const blocked = { name: 'EgressFailure', errorClass: 'blocked' };

/** Answers like a cluster's name server. Records the names requested with search domains. */
function clusterNames(names: Record<string, string[]>): { lookup: Lookup; searched: string[] } {
  const searched: string[] = [];
  const lookup: Lookup = async (hostname, { search = false } = {}) => {
    if (search) searched.push(hostname);
    const found = names[hostname];
    if (found === undefined) throw Object.assign(new Error(hostname), { code: 'ENOTFOUND' });
    return found.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
  };
  return { lookup, searched };
}

describe('a host that a pattern matches', () => {
  const guard = createAddressGuard({ allow: ['*.default.svc'], apiServer: API });

  test('is looked up with the search domains, and its private address is used', async () => {
    const { lookup, searched } = clusterNames({
      'rx.default.svc': [SERVICE],
      'a.test': ['1.1.1.1'],
    });
    const resolve = createResolver({ guard, lookup });
    expect(await resolve('rx.default.svc')).toEqual([{ address: SERVICE, family: 4 }]);
    expect(await resolve('a.test')).toHaveLength(1);
    expect(searched).toEqual(['rx.default.svc', 'kubernetes.default.svc']);
  });

  test.each([
    ['loopback', '127.0.0.1'],
    ['the metadata service', '169.254.169.254'],
    ['the API server', API],
    ['the API server, by its other family', 'fd00::1'],
  ])('is refused when it means %s', async (_what, address) => {
    const { lookup } = clusterNames({
      'rx.default.svc': [address],
      'kubernetes.default.svc': [API, 'fd00::1'],
    });
    const resolve = createResolver({ guard, lookup });
    await expect(resolve('rx.default.svc')).rejects.toMatchObject({
      ...blocked,
      message: expect.stringContaining('PARLEY_EGRESS_ALLOW'),
    });
  });

  test('of its addresses only the good ones are used', async () => {
    const { lookup } = clusterNames({ 'rx.default.svc': [API, '127.0.0.1', SERVICE] });
    const resolve = createResolver({ guard, lookup });
    expect(await resolve('rx.default.svc')).toEqual([{ address: SERVICE, family: 4 }]);
  });

  test('another host with the same address is refused', async () => {
    const { lookup } = clusterNames({ 'rx.team.svc': [SERVICE], 'evil.test': [SERVICE] });
    const resolve = createResolver({ guard, lookup });
    for (const host of ['rx.team.svc', 'evil.test']) {
      await expect(resolve(host)).rejects.toMatchObject(blocked);
    }
  });
});

describe('the API server behind a CIDR', () => {
  test('that is known by its name alone is refused as a literal and by any name', async () => {
    const guard = createAddressGuard({ allow: ['10.0.0.0/8'], apiServer: 'api.example' });
    const { lookup } = clusterNames({
      'api.example': ['10.1.2.3'],
      'kubernetes.default.svc': [API],
      'evil.test': [API],
    });
    const resolve = createResolver({ guard, lookup });
    for (const host of ['10.1.2.3', API, 'evil.test']) {
      await expect(resolve(host)).rejects.toMatchObject(blocked);
    }
    expect(await resolve(SERVICE)).toHaveLength(1);
  });

  test('a name server that says nothing of it leaves what the pod was told', async () => {
    const guard = createAddressGuard({ allow: ['10.0.0.0/8'], apiServer: API });
    const resolve = createResolver({ guard, lookup: clusterNames({}).lookup });
    await expect(resolve(API)).rejects.toMatchObject(blocked);
    expect(await resolve(SERVICE)).toHaveLength(1);
  });

  test('outside of a cluster nobody is asked', async () => {
    const guard = createAddressGuard({ allow: ['10.0.0.0/8'] });
    const { lookup, searched } = clusterNames({});
    expect(await createResolver({ guard, lookup })('10.0.0.1')).toHaveLength(1);
    expect(searched).toEqual([]);
  });
});

test('nothing is connected to when a matching name means this machine', async () => {
  const server = await receiver((socket) => socket.destroy());
  const client = createClient({
    guard: createAddressGuard({ allow: ['*.default.svc'] }),
    lookup: clusterNames({ 'rx.default.svc': ['127.0.0.1', '::1'] }).lookup,
  });
  const outcome = await client.send(post(`http://rx.default.svc:${server.port}/`));
  expect(outcome).toMatchObject({ kind: 'error', errorClass: 'blocked' });
  expect(server.sockets).toHaveLength(0);
});
