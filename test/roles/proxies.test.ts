import { expect, test } from 'vitest';
import { proxiesIn } from '../../src/roles/context.ts';

test.each([
  ['HTTPS_PROXY', 'http://proxy.example.com:3128'],
  ['https_proxy', 'http://proxy.example.com:3128'],
  ['HTTP_PROXY', 'http://proxy.example.com:3128'],
  ['http_proxy', 'http://proxy.example.com:3128'],
  ['ALL_PROXY', 'socks5://proxy.example.com'],
  ['all_proxy', 'socks5://proxy.example.com'],
])('a start names %s, which is not used', (name, value) => {
  expect(proxiesIn({ PATH: '/bin', [name]: value })).toEqual([name]);
});

test('nothing is said where no proxy is named', () => {
  expect(proxiesIn({ PATH: '/bin', HTTPS_PROXY: '', NO_PROXY: '*' })).toEqual([]);
});
