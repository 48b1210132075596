import { describe, expect, test } from 'vitest';
import { mkdir, rename, symlink, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { WriteConflictError } from '../../../src/platform/resources/resource-store.ts';
import { setUp } from './manifest-folder-setup.ts';
import { agent } from './manifest-rules.ts';

describe('the manifest folder', () => {
  test('has applied everything when it has started, subfolders too, what others refer to first', async () => {
    const { manifests, write, path, log, memory } = await setUp();
    await mkdir(path('sub'));
    await write('b.yml', agent('b'));
    await write(
      'sub/c.json',
      JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'c' }, data: {} }),
    );
    await write('.hidden.yaml', agent('hidden'));
    await write('notes.txt', agent('notes'));
    await manifests.start();
    expect(log).toEqual(['apply c', 'apply b', '2 manifests are active']);
    const stored = await memory.get('Agent', { namespace: 'default', name: 'b' });
    expect(stored?.owners).toEqual({ prompt: ['file'] });
  });

  test('applies a saved change, a new file and a new folder, and nothing that did not change', async () => {
    const { manifests, write, path, log, until, prompt } = await setUp();
    await write('a.yaml', agent('a'));
    await write('b.yaml', agent('b'));
    await manifests.start();
    log.length = 0;
    await write('a.yaml', `# a comment moves lines\n${agent('a', 'prompt: new')}`);
    await until('Agent default/a: applied');
    expect(await prompt('a')).toBe('new');
    await mkdir(path('deep/er'), { recursive: true });
    await write('deep/er/c.yaml', agent('c'));
    await until('Agent default/c: applied');
    await write('b.yaml', `# only a comment\n${agent('b')}`);
    await utimes(path('a.yaml'), new Date(), new Date());
    await write('d.yaml', agent('d'));
    await until('Agent default/d: applied');
    expect(log.filter((line) => line.startsWith('apply'))).toEqual([
      'apply a',
      'apply c',
      'apply d',
    ]);
    expect(log.filter((line) => line.includes('active'))).toEqual([]);
  });

  test('sees a file that an editor replaces by renaming, and a swapped link', async () => {
    const { manifests, root, write, path, until, prompt } = await setUp();
    await write('a.yaml', agent('a'));
    for (const n of [1, 2]) {
      await mkdir(path(`..data_${n}`));
      await writeFile(path(`..data_${n}/m.yaml`), agent('m', `prompt: version ${n}`));
    }
    await symlink('..data_1', path('..data'));
    await symlink('..data/m.yaml', path('m.yaml'));
    await manifests.start();
    expect(await prompt('m')).toBe('version 1');
    await writeFile(join(root, 'a.tmp'), agent('a', 'prompt: renamed'));
    await rename(join(root, 'a.tmp'), path('a.yaml'));
    await until('Agent default/a: applied');
    expect(await prompt('a')).toBe('renamed');
    // The kubelet updates a ConfigMap mount like this.
    await symlink('..data_2', path('..data_tmp'));
    await rename(path('..data_tmp'), path('..data'));
    await until('Agent default/m: applied');
    expect(await prompt('m')).toBe('version 2');
  });

  test('watches the successor of a folder that was swapped for another of the same name', async () => {
    const { manifests, root, write, path, until } = await setUp();
    await mkdir(path('sub'));
    await write('sub/a.yaml', agent('a'));
    await manifests.start();
    await rename(path('sub'), join(root, 'old'));
    await mkdir(path('sub'));
    // Several files, because passes that were due already may find the first ones without any watch.
    for (const name of ['b', 'c', 'd', 'e']) {
      await write(`sub/${name}.yaml`, agent(name));
      await until(`Agent default/${name}: applied`);
    }
  });

  test('finds by rescan what no watch reports', async () => {
    const { manifests, root, path, until, prompt } = await setUp({ rescanMs: 20 });
    await writeFile(join(root, 'outside.yaml'), agent('o'));
    await symlink(join(root, 'outside.yaml'), path('o.yaml'));
    await manifests.start();
    await writeFile(join(root, 'outside.yaml'), agent('o', 'prompt: changed'));
    await until('Agent default/o: applied');
    expect(await prompt('o')).toBe('changed');
  });

  test('applies everything again in a full pass', async () => {
    const { manifests, write, log, until, memory, prompt } = await setUp({
      rescanMs: 5,
      fullPassMs: 20,
    });
    await write('a.yaml', agent('a'));
    await manifests.start();
    await memory.delete('Agent', { namespace: 'default', name: 'a' });
    await until('apply a', log.length);
    await until('active', log.length);
    expect(await prompt('a')).toBe('I am a');
  });

  test('reports the second declaration of an object, and the first by path order counts', async () => {
    const { manifests, write, log, prompt, until } = await setUp();
    await write('b.yaml', agent('x', 'prompt: from b'));
    await write('a.yaml', `${agent('y')}---\n${agent('x', 'prompt: from a')}`);
    await manifests.start();
    expect(await prompt('x')).toBe('from a');
    expect(log).toContain(
      'manifests/b.yaml:4:3 metadata.name: Agent default/x is already declared at manifests/a.yaml:11:3; that declaration is used: remove one of the two',
    );
    await write('a.yaml', agent('y'));
    await until('Agent default/x: applied');
    expect(await prompt('x')).toBe('from b');
  });

  test('applies the good documents beside broken ones, and reports a problem once', async () => {
    const { manifests, write, log, until, prompt } = await setUp();
    await write(
      'a.yaml',
      `${agent('bad', 'prompt: "open')}---\n${agent('good')}---\n${agent('wrong', 'speed: 9')}`,
    );
    await manifests.start();
    expect(await prompt('good')).toBe('I am good');
    await write('b.yaml', agent('b'));
    await until('Agent default/b: applied');
    expect(log.filter((line) => line.includes('spec.speed'))).toEqual([
      'manifests/a.yaml:20:3 spec.speed: must be at most 4',
    ]);
  });
});

describe('a field of another manager', () => {
  test('is reported with its manager and left; the others count', async () => {
    const { manifests, write, log, memory, asApi } = await setUp();
    await asApi('a', { prompt: 'of the API', voice: 'v' });
    await write('a.yaml', agent('a', 'prompt: of the file\n  voice: v\n  language: en'));
    await manifests.start();
    expect(log).toContain(
      'manifests/a.yaml:6:3 spec.prompt: is managed by parley-api, so this value is not applied: remove the field from this manifest or from the other declaration',
    );
    expect(await memory.get('Agent', { namespace: 'default', name: 'a' })).toMatchObject({
      spec: { prompt: 'of the API', voice: 'v', language: 'en' },
      owners: { prompt: ['parley-api'], voice: ['file', 'parley-api'], language: ['file'] },
    });
  });
});

describe('a store that fails', () => {
  test('is tried again until it works, and reported once', async () => {
    const { manifests, write, log, faults, until, prompt } = await setUp();
    await write('a.yaml', agent('a'));
    faults.push(new Error('connection refused'), new Error('still starting up'));
    await manifests.start();
    await until('can be stored again');
    expect(await prompt('a')).toBe('I am a');
    expect(log.filter((line) => line.includes('cannot be stored'))).toEqual([
      'manifests cannot be stored: connection refused; retrying',
    ]);
  });

  test('is not asked for every object while it is down', async () => {
    const { manifests, write, log, faults } = await setUp({ retryMs: 600_000 });
    for (let n = 0; n < 9; n += 1) await write(`a${n}.yaml`, agent(`a${n}`));
    faults.push(...Array.from({ length: 9 }, () => new Error('down')));
    await manifests.start();
    expect(log.filter((line) => line.startsWith('apply'))).toHaveLength(3);
  });

  test('with a write in between is asked again at once', async () => {
    const { manifests, write, log, faults, prompt } = await setUp();
    await write('a.yaml', agent('a'));
    faults.push(new WriteConflictError('changed'));
    await manifests.start();
    expect(await prompt('a')).toBe('I am a');
    expect(log.join()).not.toContain('cannot be stored');
  });
});

test('the folder stops twice without harm, and does nothing afterwards', async () => {
  const { manifests, create, write, log, until } = await setUp();
  await write('a.yaml', agent('a'));
  await manifests.start();
  await Promise.all([manifests.stop(), manifests.stop()]);
  const before = log.length;
  await write('b.yaml', agent('b'));
  const second = create();
  await second.start();
  await until('apply b');
  expect(log.slice(before).filter((line) => line === 'apply b')).toHaveLength(1);
});
