// A server of FUSE that leaves some requests without an answer. The messages are those of <linux/fuse.h>, protocol 7.31.
import { openSync, readSync, writeSync } from 'node:fs';
import { cString, loadNativeCalls } from '@nodewright/linux';

const opcodes = {
  ...{ lookup: 1, forget: 2, getattr: 3, open: 14, read: 15, statfs: 17, release: 18, flush: 25, init: 26 },
  ...{ opendir: 27, readdir: 28, releasedir: 29, interrupt: 36, batchForget: 42 },
};
const headerBytes = 40;
const errors = { noEntry: -2, notImplemented: -38 };

interface Entry {
  readonly name: string;
  readonly parent: number;
  readonly content?: string;
  /** The operation that is never answered. */
  readonly hangsAt?: number;
}

/** By number; the first one is the root. */
const entries: readonly Entry[] = [
  { name: '', parent: 0 },
  { name: 'first', parent: 1, content: 'one\n' },
  { name: 'inner', parent: 1 },
  { name: 'last', parent: 3, content: 'two\n' },
  { name: 'unopened', parent: 1, content: 'three\n', hangsAt: opcodes.open },
  { name: 'unreadable', parent: 1, content: 'four\n', hangsAt: opcodes.read },
  { name: 'unseen', parent: 1, content: 'five\n', hangsAt: opcodes.lookup },
];
const entryOf = (number: number) => entries[number - 1] as Entry;

function attributes(number: number): Buffer {
  const { content } = entryOf(number);
  const bytes = Buffer.alloc(88);
  bytes.writeBigUInt64LE(BigInt(number), 0);
  bytes.writeBigUInt64LE(BigInt(content?.length ?? 0), 8);
  bytes.writeUInt32LE(content === undefined ? 0o40755 : 0o100644, 60);
  bytes.writeUInt32LE(1, 64);
  return bytes;
}

function lookUp(parent: number, name: string): Buffer | number | undefined {
  const number = entries.findIndex((entry) => entry.parent === parent && entry.name === name) + 1;
  if (number === 0) return errors.noEntry;
  if (entryOf(number).hangsAt === opcodes.lookup) return undefined;
  const head = Buffer.alloc(40);
  head.writeBigUInt64LE(BigInt(number), 0);
  return Buffer.concat([head, attributes(number)]);
}

function list(folder: number, offset: number): Buffer {
  const found = entries.flatMap(({ name, parent }, index) =>
    parent === folder ? [{ name, number: index + 1 }] : [],
  );
  return Buffer.concat(
    found.slice(offset).map(({ name, number }, index) => {
      const bytes = Buffer.alloc(Math.ceil((24 + name.length) / 8) * 8);
      bytes.writeBigUInt64LE(BigInt(number), 0);
      bytes.writeBigUInt64LE(BigInt(offset + index + 1), 8);
      bytes.writeUInt32LE(name.length, 16);
      bytes.write(name, 24);
      return bytes;
    }),
  );
}

/** Undefined for a request without an answer, a number for an error. */
function answer(opcode: number, node: number, body: Buffer): Buffer | number | undefined {
  if (opcode !== opcodes.init && node > 0 && entryOf(node).hangsAt === opcode) return undefined;
  switch (opcode) {
    case opcodes.init: {
      const bytes = Buffer.alloc(64);
      bytes.writeUInt32LE(7, 0);
      bytes.writeUInt32LE(31, 4);
      bytes.writeUInt32LE(4096, 20);
      return bytes;
    }
    case opcodes.lookup:
      return lookUp(node, body.toString('latin1', 0, body.indexOf(0)));
    case opcodes.getattr:
      return Buffer.concat([Buffer.alloc(16), attributes(node)]);
    case opcodes.open:
    case opcodes.opendir:
      return Buffer.alloc(16);
    case opcodes.readdir:
      return list(node, Number(body.readBigUInt64LE(8)));
    case opcodes.read:
      return Buffer.from((entryOf(node).content ?? '').slice(Number(body.readBigUInt64LE(8))));
    case opcodes.statfs: {
      const bytes = Buffer.alloc(80);
      bytes.writeBigUInt64LE(1000n, 0);
      bytes.writeUInt32LE(4096, 40);
      return bytes;
    }
    case opcodes.release:
    case opcodes.releasedir:
    case opcodes.flush:
      return Buffer.alloc(0);
    case opcodes.forget:
    case opcodes.batchForget:
    case opcodes.interrupt:
      return undefined;
    default:
      return errors.notImplemented;
  }
}

function serve(device: number): void {
  const request = Buffer.alloc(1 << 17);
  for (;;) {
    const length = readSync(device, request);
    const node = Number(request.readBigUInt64LE(16));
    const result = answer(request.readUInt32LE(4), node, request.subarray(headerBytes, length));
    if (result === undefined) continue;
    const payload = typeof result === 'number' ? Buffer.alloc(0) : result;
    const head = Buffer.alloc(16);
    head.writeUInt32LE(16 + payload.length, 0);
    head.writeInt32LE(typeof result === 'number' ? result : 0, 4);
    request.copy(head, 8, 8, 16);
    writeSync(device, Buffer.concat([head, payload]));
  }
}

const calls = await loadNativeCalls();
const devices = process.argv.slice(2).map((word) => {
  const [kind, path] = [word.slice(0, word.indexOf(':')), word.slice(word.indexOf(':') + 1)];
  const device = openSync('/dev/fuse', 'r+');
  const options = `fd=${device},rootmode=40000,user_id=0,group_id=0,allow_other`;
  calls.mount(cString('test'), cString(path), cString('fuse'), 0, cString(options));
  return { kind, device };
});
process.stdout.write('ready\n');
// One is enough for a test: a second one would need a thread of its own.
const served = devices.find(({ kind }) => kind === 'partial');
if (served !== undefined) serve(served.device);
setInterval(() => {}, 1 << 30);
