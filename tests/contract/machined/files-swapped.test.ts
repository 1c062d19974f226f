// Calls on files while a program on the node swaps folders and links: no content of the host may be returned.
import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { MachineServiceDefinition } from '@nodewright/contract/gen/machine/machine.ts';
import { startNode } from './harness/node-under-test.ts';
import { swapFolder } from './harness/swap-folder.ts';

/** Per kind of call. Reads are the fastest, and show a race first. */
const rounds = { read: 1200, list: 120, usage: 120, copy: 60 };
/** Concurrent calls. */
const lanes = 12;
/** The size of the host's file, which a listing and a sum would show. */
const hostBytes = 54_321;

const node = await startNode();
const host = mkdtempSync(join(tmpdir(), 'outside-'));
after(async () => {
  await node[Symbol.asyncDispose]();
  rmSync(host, { recursive: true });
});
const machine = node.client(MachineServiceDefinition, 'os:admin');

/** The names inside and outside are the same; only the content shows which file was read. */
function makeTree(folder: string, content: string): void {
  mkdirSync(join(folder, 'in'), { recursive: true });
  writeFileSync(join(folder, 'in', 'file'), content);
}

/** The result of each call, as a text that would contain the host's content or its size. */
const calls: Record<keyof typeof rounds, () => Promise<string>> = {
  async read() {
    const pieces = await Array.fromAsync(machine.read({ path: '/data/swapped/in/file' }));
    return Buffer.concat(pieces.map(({ bytes }) => bytes)).toString();
  },
  async list() {
    const files = await Array.fromAsync(machine.list({ root: '/data', recurse: true, reportXattrs: true }));
    return files.map(({ name, size, link }) => `${name} ${link === '' ? size : 'link'}`).join('\n');
  },
  async usage() {
    const files = await Array.fromAsync(machine.diskUsage({ paths: ['/data/swapped'], all: true }));
    return files.map(({ name, size }) => `${name} ${size}`).join('\n');
  },
  async copy() {
    const pieces = await Array.fromAsync(machine.copy({ rootPath: '/data' }));
    return gunzipSync(Buffer.concat(pieces.map(({ bytes }) => bytes))).toString('latin1');
  },
};

test('no call on files leaves the root while a folder is swapped with a link to the host', async () => {
  const hostContent = 'of the host '.padEnd(hostBytes, '.');
  makeTree(host, hostContent);
  // Its mode lets every user in.
  chmodSync(host, 0o755);
  makeTree(join(node.root, 'data', 'swapped'), 'of the node');
  await using swap = swapFolder(join(node.root, 'data', 'swapped'), host);

  for (const kind of Object.keys(rounds) as (keyof typeof rounds)[]) {
    const before = swap.count();
    const seen = { ofNode: 0, ofHost: 0, failed: 0 };
    let left = rounds[kind];
    const lane = async () => {
      while (left-- > 0) {
        const text = await calls[kind]().catch(() => undefined);
        if (text === undefined) seen.failed += 1;
        else if (text.includes('of the host') || /\b54\d\d\d\b/.test(text)) seen.ofHost += 1;
        else seen.ofNode += 1;
      }
    };
    await Promise.all(Array.from({ length: lanes }, lane));
    assert.equal(seen.ofHost, 0, `${kind}: ${JSON.stringify(seen)} within ${swap.count() - before} swaps`);
    assert.ok(seen.ofNode > 0 && swap.count() > before, `${kind}: ${JSON.stringify(seen)}`);
  }
});
