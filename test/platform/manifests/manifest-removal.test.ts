import { describe, expect, test } from 'vitest';
import { rename, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setUp } from './manifest-folder-setup.ts';
import { agent } from './manifest-rules.ts';

describe('what no manifest declares any more', () => {
  test('is deleted when its file goes, when its document goes, and when it went while we were away', async () => {
    const { manifests, create, write, path, until, memory } = await setUp();
    await write('a.yaml', agent('a'));
    await write('b.yaml', `${agent('b')}---\n${agent('c')}`);
    await write('s.yaml', 'apiVersion: v1\nkind: Secret\nmetadata: {name: s}\ndata: {k: v}\n');
    await manifests.start();
    await rm(path('a.yaml'));
    await until('delete a');
    await write('b.yaml', agent('b'));
    await until('delete c');
    await manifests.stop();
    await rm(path('s.yaml'));
    await create().start();
    expect(await memory.list('Secret')).toEqual([]);
    expect(await memory.list('Agent')).toMatchObject([{ metadata: { name: 'b' } }]);
  });

  test('stays when it was never ours, and a move to another file is no removal', async () => {
    const { manifests, write, path, log, until, asApi, memory } = await setUp();
    await asApi('foreign', { prompt: 'p' });
    await write('a.yaml', agent('a'));
    await manifests.start();
    await rename(path('a.yaml'), path('z.yaml'));
    await write('b.yaml', agent('b'));
    await until('Agent default/b: applied');
    await rm(path('b.yaml'));
    await until('delete b');
    expect(log.filter((line) => line.startsWith('delete'))).toEqual(['delete b']);
    expect(log.join()).not.toContain('foreign');
    expect(await memory.list('Agent')).toHaveLength(2);
  });

  test('goes with the pin of the API, which pins nothing without it', async () => {
    const { manifests, write, path, until, asApi, memory } = await setUp();
    await write('a.yaml', agent('a'));
    await manifests.start();
    await asApi('a', { pinnedVersion: 1 }, 'parley-api-pin');
    await rm(path('a.yaml'));
    await until('delete a');
    expect(await memory.list('Agent')).toEqual([]);
  });

  test('loses only our part when others declared the rest', async () => {
    const { manifests, write, path, until, asApi, memory } = await setUp();
    await asApi('a', { prompt: 'of the API' });
    await write('a.yaml', agent('a', 'prompt: of the API\n  language: en'));
    await manifests.start();
    await rm(path('a.yaml'));
    await until('the fields owned by parley-api stay');
    expect(await memory.get('Agent', { namespace: 'default', name: 'a' })).toMatchObject({
      spec: { prompt: 'of the API' },
      owners: { prompt: ['parley-api'] },
    });
  });

  test('stays with who takes it over at the last moment', async () => {
    const { manifests, write, path, until, asApi, memory, beforeDelete } = await setUp();
    await write('a.yaml', agent('a'));
    await manifests.start();
    beforeDelete(() => asApi('a', { prompt: 'I am a' }));
    await rm(path('a.yaml'));
    await until('the fields owned by parley-api stay');
    expect(await memory.get('Agent', { namespace: 'default', name: 'a' })).toMatchObject({
      owners: { prompt: ['parley-api'] },
    });
  });

  test('stays, and is reported, when the rest would not be valid alone', async () => {
    const { manifests, write, path, until, asApi, prompt } = await setUp();
    await write('a.yaml', agent('a'));
    await manifests.start();
    await asApi('a', { language: 'en' });
    await rm(path('a.yaml'));
    await until('not valid on their own');
    expect(await prompt('a')).toBe('I am a');
  });

  test('is not deleted by a save that removes the file and writes it again', async () => {
    const { manifests, write, path, log, until } = await setUp({ settleMs: 600_000 });
    await write('a.yaml', agent('a'));
    await manifests.start();
    await rm(path('a.yaml'));
    await write('b.yaml', agent('b'));
    await until('Agent default/b: applied');
    await write('a.yaml', agent('a', 'prompt: again'));
    await until('Agent default/a: applied');
    expect(log.join()).not.toContain('delete');
  });

  test('is not deleted by a file that is empty half-way through a save', async () => {
    const { manifests, write, path, log, until } = await setUp();
    await write('a.yaml', agent('a'));
    await manifests.start();
    await truncate(path('a.yaml'));
    for (const name of ['b', 'c']) {
      await write(`${name}.yaml`, agent(name));
      await until(`Agent default/${name}: applied`);
    }
    await write('a.yaml', agent('a', 'prompt: complete'));
    await until('Agent default/a: applied');
    expect(log.join()).not.toContain('delete');
  });

  test('is deleted when its file stays empty', async () => {
    const { manifests, write, path, until } = await setUp({ rescanMs: 20 });
    await write('a.yaml', agent('a'));
    await manifests.start();
    await truncate(path('a.yaml'));
    await until('delete a');
  });
});

describe('while something cannot be read, nothing is deleted', () => {
  test.each([
    ['a file with wrong YAML', (path: string) => writeFile(path, 'a: [1')],
    ['a link to nowhere', (path: string) => symlink('nowhere', path)],
    ['bytes that are not UTF-8', (path: string) => writeFile(path, Buffer.from([0x23, 0xff]))],
    ['a file over 1 MiB', (path: string) => writeFile(path, '#'.repeat(1024 * 1024 + 1))],
    [
      'a document of an unknown kind of ours',
      (path: string) => writeFile(path, agent('q').replace('Agent', 'Agnet')),
    ],
  ])('%s', async (_what, breakIt) => {
    const { manifests, write, path, log, until } = await setUp();
    await write('a.yaml', agent('a'));
    await manifests.start();
    await breakIt(path('broken.yaml'));
    await until('nothing is deleted');
    await rm(path('a.yaml'));
    for (const name of ['b', 'c']) {
      await write(`${name}.yaml`, agent(name));
      await until(`Agent default/${name}: applied`);
    }
    expect(log.filter((line) => line.startsWith('delete'))).toEqual([]);
    expect(log.filter((line) => line.includes('nothing is deleted'))).toHaveLength(1);
    await rm(path('broken.yaml'));
    await until('delete a');
  });

  test('the folder itself, before the start or later; it is read when it appears', async () => {
    const { manifests, root, folder, write, log, until, asApi, memory } = await setUp({
      rescanMs: 20,
    });
    await asApi('ours', { prompt: 'p' }, 'file');
    await rename(folder, join(root, 'away'));
    await manifests.start();
    expect(log[0]).toBe(
      'the manifest folder manifests does not exist; it will be read when it appears',
    );
    expect(await memory.list('Agent')).toHaveLength(1);
    await writeFile(join(root, 'away', 'ours.yaml'), agent('ours', 'prompt: q'));
    await rename(join(root, 'away'), folder);
    await until('apply ours');
    await rename(folder, join(root, 'away'));
    await until('does not exist', log.length);
    await rename(join(root, 'away'), folder);
    await write('b.yaml', agent('b'));
    await until('Agent default/b: applied');
    expect(log.filter((line) => line.startsWith('delete'))).toEqual([]);
  });
});
