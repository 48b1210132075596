import { describe, expect, test } from 'vitest';
import {
  clearCookie,
  cookieFor,
  isOurOwn,
  setCookie,
  tokensIn,
} from '../../../src/platform/http/session-cookie.ts';

/** The origin of a request and the cookie that it may carry. */

const OWN = { origin: 'https://parley.test', host: 'parley.test' };
type Sent = Record<string, string | undefined>;

const own = (method: string, sent: Sent, baseUrl?: string): boolean =>
  isOurOwn({ method, headers: sent, baseUrl });

describe('a request with a cookie', () => {
  test.each<[string, Sent]>([
    ['a page of ours', OWN],
    ['one that says so', { ...OWN, 'sec-fetch-site': 'same-origin' }],
    ['one over http', { origin: 'http://parley.test:8080', host: 'parley.test:8080' }],
    ['one with the port that https has', { ...OWN, host: 'parley.test:443' }],
    ['one in capitals', { ...OWN, host: 'PARLEY.test' }],
  ])('is ours from %s', (_, sent) => {
    for (const method of ['GET', 'POST']) expect(own(method, sent)).toBe(true);
  });

  test.each<[string, Sent]>([
    ['another host', { ...OWN, origin: 'https://evil.test' }],
    ['another port', { ...OWN, origin: 'https://parley.test:8443' }],
    ['another scheme', { origin: 'ftp://parley.test', host: 'parley.test' }],
    ['no origin at all', { ...OWN, origin: 'null' }],
    ['more than an origin', { ...OWN, origin: 'https://parley.test/a' }],
    ['no host', { origin: OWN.origin, host: undefined }],
    ['a host that is none', { ...OWN, host: 'a b' }],
    ['another site', { ...OWN, 'sec-fetch-site': 'cross-site' }],
    ['another host of the site', { ...OWN, 'sec-fetch-site': 'same-site' }],
  ])('is not ours from %s', (_, sent) => {
    for (const method of ['GET', 'POST'])
      expect([method, own(method, sent)]).toEqual([method, false]);
  });

  test('without an origin is ours only if it changes nothing', () => {
    const typed = { host: OWN.host, 'sec-fetch-site': 'none' };
    for (const sent of [{ host: OWN.host }, typed]) {
      for (const method of ['GET', 'HEAD', 'OPTIONS']) expect(own(method, sent)).toBe(true);
      for (const method of ['POST', 'PUT', 'PATCH', 'DELETE'])
        expect(own(method, sent)).toBe(false);
    }
    expect(own('POST', { ...OWN, 'sec-fetch-site': 'none' })).toBe(false);
    expect(own('GET', { host: OWN.host, 'sec-fetch-site': 'cross-site' })).toBe(false);
  });

  test('behind a proxy is ours by the base URL', () => {
    const sent = { ...OWN, host: 'parley.svc:8080' };
    expect(own('POST', sent)).toBe(false);
    expect(own('POST', sent, 'https://parley.test/base')).toBe(true);
    expect(own('POST', sent, 'http://parley.test')).toBe(false);
  });
});

describe('the cookie of a page that signs in', () => {
  const of = (sent: Sent, baseUrl?: string): string => cookieFor({ headers: sent, baseUrl });
  const local = (host: string): string => of({ origin: `http://${host}`, host });

  test('is __Host- over https, and has the port on loopback', () => {
    expect(of(OWN)).toBe('__Host-parley_session');
    expect(of({ ...OWN, 'sec-fetch-site': 'same-origin' })).toBe('__Host-parley_session');
    expect(local('localhost:8080')).toBe('parley_session_8080');
    expect(local('a.localhost:8080')).toBe('parley_session_8080');
    expect(local('127.0.0.1')).toBe('parley_session_80');
    expect(local('127.9.9.9:1')).toBe('parley_session_1');
    expect(local('[::1]:8080')).toBe('parley_session_8080');
  });

  test.each<[string, Sent, string]>([
    ['no origin', { host: OWN.host }, 'has no Origin header'],
    ['another origin', { ...OWN, origin: 'https://evil.test' }, 'comes from https://evil.test'],
    ['another site', { ...OWN, 'sec-fetch-site': 'same-site' }, 'foreign_origin'],
    ['nobody', { ...OWN, 'sec-fetch-site': 'none' }, 'foreign_origin'],
  ])('is refused to %s', (_, sent, words) => {
    expect(() => of(sent)).toThrow(expect.objectContaining({ code: 'foreign_origin' }));
    if (words !== 'foreign_origin') expect(() => of(sent)).toThrow(words);
  });

  test('is refused over http that others can read', () => {
    for (const host of ['parley.test', '10.0.0.1:8080', 'localhost.test', '128.0.0.1']) {
      expect(() => local(host)).toThrow(expect.objectContaining({ code: 'https_required' }));
    }
    // A proxy on another machine calls us by a name of loopback.
    const sent = { origin: 'http://parley.test', host: 'localhost:8080' };
    expect(() => of(sent, 'http://parley.test')).toThrow(
      expect.objectContaining({ code: 'https_required' }),
    );
    const behind = { origin: 'http://localhost:3000', host: 'parley.svc' };
    expect(() => of(behind, 'http://localhost:3000')).toThrow(
      expect.objectContaining({ code: 'https_required' }),
    );
  });

  test('is set for this host alone, and cleared the same way', () => {
    const rest = 'HttpOnly; SameSite=Strict; Path=/';
    expect(setCookie('__Host-parley_session', 't')).toEqual({
      'Set-Cookie': `__Host-parley_session=t; Secure; ${rest}`,
    });
    expect(setCookie('parley_session_80', 't')).toEqual({
      'Set-Cookie': `parley_session_80=t; ${rest}`,
    });
    expect(clearCookie('parley_session_80')).toEqual({
      'Set-Cookie': `parley_session_80=; Max-Age=0; ${rest}`,
    });
  });
});

describe('the tokens of a request', () => {
  const secure = '__Host-parley_session=a';
  const plain = 'parley_session_8080=b';
  const tokens = (cookie: string | undefined, host = 'localhost:8080'): string[] =>
    tokensIn({ cookie, host }).map(({ token }) => token);

  test('are those of the host, the one of https first', () => {
    expect(tokens(`${plain}; x=y;${secure}`)).toEqual(['a', 'b']);
    expect(tokens(`${plain}; ${secure}`, 'parley.test:8080')).toEqual(['a']);
    expect(tokens(plain, 'localhost:8081')).toEqual([]);
    expect(tokens('parley_session_80=b', 'localhost')).toEqual(['b']);
    expect(tokens(undefined)).toEqual([]);
    expect(tokens('x=y')).toEqual([]);
    expect(tokensIn({ cookie: `${secure}; ${plain}` })).toHaveLength(1);
    expect(tokens(secure, 'a b')).toEqual(['a']);
  });

  test('are none when a cookie is there twice', () => {
    expect(tokens(`${secure}; __Host-parley_session=c; ${plain}`)).toEqual(['b']);
  });
});
