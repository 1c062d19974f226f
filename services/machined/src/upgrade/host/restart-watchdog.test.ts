import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { startRestartWatchdog } from './restart-watchdog.ts';

interface Change {
  /** What is there before a driver of hardware is loaded. */
  readonly identity?: string;
  /** The driver does not take the time. */
  readonly refuses?: boolean;
}

function open(context: TestContext, found: readonly string[], { identity, refuses = false }: Change = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'restart-watchdog-'));
  context.after(() => rmSync(folder, { recursive: true }));
  const device = join(folder, 'watchdog0');
  const done: string[] = [];
  const start = () =>
    startRestartWatchdog({
      calls: {
        control(_descriptor, request, argument) {
          done.push(`${request.toString(16)} ${Buffer.from(argument).readInt32LE()}`);
          if (refuses) throw new Error('EINVAL');
        },
      },
      readIdentity: () => identity,
      moduleList: () =>
        'kernel/drivers/watchdog/i6300esb.ko.xz: kernel/drivers/watchdog/watchdog.ko.xz\nkernel/drivers/watchdog/wdat_wdt.ko.xz:\n',
      async load(path) {
        const name = /([^/]+)\.ko\.xz$/.exec(path)?.[1] ?? '';
        done.push(name);
        if (name === 'watchdog') return;
        if (!found.includes(name)) throw Object.assign(new Error('no such device'), { code: 'ENOENT' });
        writeFileSync(device, '');
      },
      log: { info() {}, warn: (facts: unknown) => void done.push(JSON.stringify(facts)) } as never,
      device,
    });
  return { done, start, device };
}

test('a watchdog of the hardware is started for five minutes, and left to run', async (context) => {
  const { done, start } = open(context, ['i6300esb']);
  assert.equal(await start(), 'i6300esb');
  assert.deepEqual(done, ['watchdog', 'i6300esb', 'c0045706 300']);
});

test('a machine without such hardware restarts without a watchdog', async (context) => {
  const { done, start } = open(context, []);
  assert.equal(await start(), undefined);
  assert.deepEqual(done, ['watchdog', 'i6300esb', 'wdat_wdt']);
});

test('the timer of the kernel that an earlier trial has left is not taken for hardware', async (context) => {
  const { done, start, device } = open(context, [], { identity: 'Software Watchdog' });
  writeFileSync(device, '');
  assert.equal(await start(), undefined);
  assert.deepEqual(done, []);
});

test('a watchdog that does not take the time is stopped: nothing would feed it', async (context) => {
  const { done, start, device } = open(context, ['i6300esb'], { refuses: true });
  assert.equal(await start(), undefined);
  assert.match(done.join(), /EINVAL/);
  assert.equal(readFileSync(device, 'latin1'), 'V');
});
