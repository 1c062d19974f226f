import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import fc from 'fast-check';
import { capabilities, hasCapability } from './effective-capabilities.ts';
import { createKernelLog, type KernelLog, openKernelLog, type ReadKmsg } from './kernel-log.ts';
import { parseKmsgRecord } from './parse-kmsg-record.ts';

/** A ring buffer like the kernel's: it keeps the last records, and reports an overrun once to each reader. */
class Ring {
  readonly #capacity: number;
  #written = 0;
  #position = 0;

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  write(count: number): void {
    this.#written += count;
  }

  readonly read: ReadKmsg = (buffer) => {
    const oldest = Math.max(0, this.#written - this.#capacity);
    if (this.#position < oldest) {
      this.#position = oldest;
      throw Object.assign(new Error('EPIPE: broken pipe, read'), { code: 'EPIPE' });
    }
    if (this.#position === this.#written) return undefined;
    const text = `6,${this.#position},${this.#position * 10},-;message ${this.#position}\n`;
    this.#position += 1;
    return Buffer.from(text).copy(buffer);
  };
}

/** All available entries, in short form. */
function drain(log: Pick<KernelLog, 'next'>): string[] {
  const seen: string[] = [];
  for (let entry = log.next(); entry !== undefined; entry = log.next()) {
    seen.push(entry.kind === 'lost' ? `lost ${entry.count}` : String(entry.record.sequence));
  }
  return seen;
}

test('a kernel log begins with the oldest record, without a gap, and continues where it ended', () => {
  const ring = new Ring(3);
  ring.write(5);
  const log = createKernelLog(ring.read);
  assert.deepEqual(drain(log), ['2', '3', '4']);
  assert.deepEqual(drain(log), []);
  ring.write(1);
  assert.deepEqual(drain(log), ['5']);
});

test('a kernel log reports the number of lost records after an overrun, then continues', () => {
  const ring = new Ring(3);
  ring.write(2);
  const log = createKernelLog(ring.read);
  assert.deepEqual(drain(log), ['0', '1']);
  ring.write(8);
  assert.deepEqual(drain(log), ['lost 5', '7', '8', '9']);
});

test('a kernel log reports every record as read or lost, whenever it is read', () => {
  const steps = fc.array(
    fc.oneof(
      fc.record({ write: fc.integer({ min: 1, max: 12 }) }),
      fc.record({ read: fc.integer({ min: 1, max: 6 }) }),
    ),
  );
  fc.assert(
    fc.property(steps, (actions) => {
      const ring = new Ring(5);
      const log = createKernelLog(ring.read);
      let next: bigint | undefined;
      const take = () => {
        const entry = log.next();
        if (entry?.kind === 'lost') next = (next ?? 0n) + entry.count;
        if (entry?.kind !== 'record') return entry !== undefined;
        assert.equal(entry.record.sequence, next ?? entry.record.sequence);
        next = entry.record.sequence + 1n;
        return true;
      };
      let written = 0n;
      for (const action of actions) {
        if ('write' in action) {
          ring.write(action.write);
          written += BigInt(action.write);
        } else for (let count = 0; count < action.read; count += 1) take();
      }
      while (take());
      if (written > 0n) assert.equal(next, written);
    }),
  );
});

test('a kernel log passes on errors other than an overrun', () => {
  const log = createKernelLog(() => {
    throw Object.assign(new Error('EIO: i/o error, read'), { code: 'EIO' });
  });
  assert.throws(() => log.next(), { code: 'EIO' });
});

test('parseKmsgRecord() splits the level, keeps continuation lines and decodes escapes', () => {
  const bytes = Buffer.from('30,5,1234567,-,caller=T1;tab\\x09, \\x5c and \\xzz \\x4\n SUBSYSTEM=net\n');
  const record = parseKmsgRecord(bytes);
  assert.deepEqual(
    { ...record, text: Buffer.from(record?.text ?? []).toString() },
    {
      facility: 3,
      priority: 6,
      sequence: 5n,
      sinceBootUs: 1234567n,
      text: 'tab\t, \\ and \\xzz \\x4\n SUBSYSTEM=net\n',
    },
  );
  assert.equal(parseKmsgRecord(Buffer.from('no record\n')), undefined);
});

test('openKernelLog() says where to read the log that a container has no access to', () => {
  assert.throws(() => openKernelLog('/proc/no-such-kmsg'), {
    kind: 'unknown',
    message:
      "error opening /proc/no-such-kmsg reader: most containers are not given the kernel's log: run dmesg on the machine that runs this one",
  });
});

test('openKernelLog() names the permission that a process lacks', () => {
  const source = pathToFileURL(join(import.meta.dirname, 'kernel-log.ts')).href;
  const program = `
    const { openKernelLog } = await import(${JSON.stringify(source)});
    try { openKernelLog(); } catch ({ kind, message }) { console.log(kind + ': ' + message); }`;
  // A path that the permission model forbids fails like one without permission, so this test works for every
  // user.
  const flags = ['--permission', `--allow-fs-read=${join(import.meta.dirname, '..', '..', '..')}/`];
  assert.equal(
    execFileSync(process.execPath, [...flags, '--input-type=module', '-e', program], { encoding: 'utf8' }),
    "permission-denied: error opening /dev/kmsg reader: ERR_ACCESS_DENIED: reading the kernel's log needs CAP_SYSLOG or root\n",
  );
});

/** The user is told about missing permissions; the path is for the caller. */
const isReadable =
  hasCapability(capabilities.syslog) ||
  readFileSync('/proc/sys/kernel/dmesg_restrict', 'utf8').trim() === '0';

test('openKernelLog() reads the log of this machine without waiting, record after record', {
  skip: isReadable ? false : 'the log of the kernel may not be read: run as root',
}, () => {
  using log = openKernelLog();
  const sequences: bigint[] = [];
  for (let entry = log.next(); entry !== undefined; entry = log.next()) {
    if (entry.kind === 'record') sequences.push(entry.record.sequence);
  }
  assert.ok(sequences.length > 0);
  assert.deepEqual(
    sequences,
    sequences.toSorted((a, b) => Number(a - b)),
  );
});

test('openKernelLog() returns a record that was written after it had reached the end', {
  skip: process.getuid?.() === 0 ? false : 'only root may write to the log of the kernel',
}, () => {
  using log = openKernelLog();
  while (log.next() !== undefined);
  const mark = `nodewright test ${process.pid} \t end`;
  writeFileSync('/dev/kmsg', `<14>${mark}\n`);
  const texts: string[] = [];
  for (let entry = log.next(); entry !== undefined; entry = log.next()) {
    if (entry.kind === 'record') texts.push(Buffer.from(entry.record.text).toString());
  }
  assert.ok(texts.includes(`${mark}\n`), texts.join(''));
});
