import { expect, test } from 'vitest';
import { createContext } from '../../src/roles/context.ts';
import { StartupError } from '../../src/errors.ts';

/** The default provider is under the address rules of what tenants declare. */

const contextWith = (url: string, egressAllow: readonly string[] = []) =>
  createContext({
    role: 'test',
    databaseUrl: 'postgresql://nobody@127.0.0.1:1/none',
    encryptionKey: Buffer.alloc(32, 1),
    egressAllow,
    logLevel: 'silent',
    poolMax: 1,
    model: { url, key: undefined, model: 'm' },
  });

test.each([
  'http://localhost:11434/v1',
  'http://10.0.0.1/v1',
  'https://169.254.169.254/v1',
  'http://models.example/v1',
])('%s is refused at start, by the name of its setting', (url) => {
  expect(() => contextWith(url)).toThrow(StartupError);
  expect(() => contextWith(url)).toThrow(/^PARLEY_MODEL_URL: /);
});

test('one on this machine is taken where the operator opened it', async () => {
  const context = contextWith('http://localhost:11434/v1', ['127.0.0.0/8']);
  expect(context.modelSettings).toMatchObject({ url: 'http://localhost:11434/v1' });
  await context.close();
});
