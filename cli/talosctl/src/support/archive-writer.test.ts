import assert from 'node:assert/strict';
import { test } from 'node:test';
import { strFromU8, unzipSync } from 'fflate';
import { ArchiveWriter } from './archive-writer.ts';

class MemorySink {
  readonly pieces: Uint8Array[] = [];
  sizeBytes = 0;

  async write(bytes: Uint8Array): Promise<void> {
    this.pieces.push(Uint8Array.from(bytes));
    this.sizeBytes += bytes.length;
  }
}

const open = (sink = new MemorySink()) => ({ sink, archive: new ArchiveWriter(sink, new Date(2026, 0, 10)) });

async function* pieces(...parts: readonly (string | Error)[]): AsyncGenerator<string> {
  for (const part of parts) {
    if (part instanceof Error) throw part;
    yield part;
  }
}

const contents = ({ pieces: written }: MemorySink) =>
  Object.fromEntries(
    Object.entries(unzipSync(Buffer.concat(written))).map(([name, bytes]) => [name, strFromU8(bytes)]),
  );

test('ArchiveWriter writes entries that are added at once, leaves out empty ones, keeps what came before a failure', async () => {
  const { sink, archive } = open();
  const results = await Promise.allSettled([
    archive.add('a', pieces('one ', 'two')),
    archive.add('b', pieces('part', new Error('broken'))),
    archive.add('c', pieces(new Error('nothing'))),
    archive.add('d', pieces('')),
  ]);
  await archive.add('a', pieces('same name'));
  await archive.finish();
  assert.deepEqual(
    results.map((result) => (result.status === 'fulfilled' ? result.value : result.reason.message)),
    [7, 'broken', 'nothing', 0],
  );
  assert.deepEqual(contents(sink), { a: 'one two', b: 'part', 'a-2': 'same name' });
});

test('ArchiveWriter buffers little of a large entry: it reads no more until it has written', async () => {
  const { sink, archive } = open();
  let asked = 0;
  let furthestAhead = 0;
  const block = Buffer.alloc(64 * 1024);
  async function* large() {
    for (; asked < 200; asked += 1) {
      for (let at = 0; at < block.length; at += 4)
        block.writeUInt32LE((at * 2_654_435_761 + asked * 97) >>> 0, at);
      furthestAhead = Math.max(furthestAhead, asked * block.length - written);
      yield block;
    }
  }
  let written = 0;
  // Random data, so that compression does not shrink it.
  const write = sink.write.bind(sink);
  sink.write = async (bytes) => {
    written = asked * block.length;
    await write(bytes);
  };
  assert.equal(await archive.add('large', large()), 200 * block.length);
  await archive.finish();
  assert.equal(unzipSync(Buffer.concat(sink.pieces)).large?.length, 200 * block.length);
  assert.ok(furthestAhead <= 1024 * 1024, `${furthestAhead} bytes were asked for ahead`);
});

test('ArchiveWriter reports that it is broken when its file cannot be written', async () => {
  const { sink, archive } = open();
  sink.write = () => Promise.reject(new Error('disk full'));
  await assert.rejects(archive.add('a', pieces('text')), /disk full/);
  assert.match(String(archive.broken?.error), /disk full/);
});
