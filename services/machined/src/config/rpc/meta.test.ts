import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { metaKeys } from '@nodewright/state/kinds';
import { openConfigNode } from '../controllers/testing/open-config-node.ts';

async function withFolder(body: (folder: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'meta-'));
  try {
    await body(folder);
  } finally {
    await rm(folder, { recursive: true });
  }
}

const open = (folder: string) => openConfigNode({ folder, validate: () => [] });
type Node = Awaited<ReturnType<typeof open>>;

const seen = async (node: Node) =>
  (await node.state.list(metaKeys)).map(({ metadata, spec }) => `${metadata.id}=${spec.value}`);

test('MetaWrite and MetaDelete change the disk and the resources, and the change survives a restart', () =>
  withFolder(async (folder) => {
    {
      await using node = await open(folder);
      const { messages } = await node.admin.metaWrite({ key: 10, value: Buffer.from('addresses: []') });
      assert.equal(messages.length, 1);
      await node.admin.metaWrite({ key: 15, value: Buffer.from('a') });
      await node.admin.metaDelete({ key: 15 });
      assert.deepEqual(await seen(node), ['0x0a=addresses: []']);
    }
    await using again = await open(folder);
    assert.deepEqual(await seen(again), ['0x0a=addresses: []']);
    assert.match(await readFile(join(folder, 'meta.json'), 'utf8'), /"0x0a"/);
  }));

test('MetaWrite and MetaDelete refuse an invalid key, a missing key and a value that is too large', () =>
  withFolder(async (folder) => {
    await using node = await open(folder);
    const value = Buffer.from('a');
    await assert.rejects(node.admin.metaWrite({ key: 256, value }), {
      code: 3,
      details: 'key must be a uint8',
    });
    await assert.rejects(node.admin.metaDelete({ key: 256 }), { code: 3, details: 'key must be a uint8' });
    await assert.rejects(node.admin.metaDelete({ key: 12 }), { code: 5, details: 'meta key not found' });
    await assert.rejects(node.admin.metaWrite({ key: 12, value: Buffer.alloc(262_104) }), {
      code: 8,
      details: /^meta write failed: /,
    });
    assert.deepEqual(await seen(node), []);
  }));

test('MetaWrite and MetaDelete refuse the keys that the system owns, by name, and take all others', () =>
  withFolder(async (folder) => {
    await using node = await open(folder);
    const refused: string[] = [];
    const note = (error: unknown) => {
      const { code, details } = error as { code: number; details: string };
      assert.equal(code, 3);
      refused.push(details);
    };
    for (const key of [...Array(0x20).keys(), 0xfc, 0xfd, 0xfe, 0xff].slice(1)) {
      const countBefore = refused.length;
      await node.admin.metaWrite({ key, value: Buffer.from('a') }).catch(note);
      await node.admin.metaDelete({ key }).catch(note);
      assert.notEqual(refused.length, countBefore + 1, `only one call refuses ${key}`);
    }
    const why = 'belongs to the system: it can neither be written nor deleted';
    assert.deepEqual(
      refused,
      [
        'key 0x06 (upgrade)',
        'key 0x07 (staged upgrade image)',
        'key 0x08 (staged upgrade options)',
        'key 0x09 (STATE encryption)',
        'key 0x11 (disk image boot loader)',
        'key 0xfc (record of upgrades)',
        'key 0xfd (places of volumes)',
        'key 0xfe (reset)',
      ].flatMap((key) => [`${key} ${why}`, `${key} ${why}`]),
    );
    assert.deepEqual(await seen(node), []);
  }));
