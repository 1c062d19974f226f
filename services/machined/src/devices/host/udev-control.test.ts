import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Fault } from '@nodewright/fault';
import { createUdevControl } from './udev-control.ts';

const timeoutMs = 55_000;

/** A udevd that answers after `deafMs`, on a clock that only the commands and the pauses advance. */
function openUdevd({ deafMs = 0, settleTimeMs = 0, settles = (): boolean => true } = {}) {
  const commands: string[] = [];
  let nowMs = 0;
  const control = createUdevControl({
    async run({ argv: [program, ...words], timeoutMs: limitMs }) {
      assert.equal(program, '/usr/bin/udevadm');
      assert.ok(Number.isInteger(limitMs) && limitMs > 0 && limitMs <= timeoutMs, `${limitMs} ms`);
      nowMs += 10.3;
      commands.push(words.join(' '));
      if (words[0] === 'control' && nowMs < deafMs) throw new Fault('internal', 'udevadm: no udevd');
      if (words[0] === 'settle' && !settles()) throw new Fault('internal', 'udevadm: timed out');
      return '';
    },
    settleTimeMs,
    now: () => nowMs,
    sleep: async (ms) => {
      nowMs += ms;
    },
  });
  return { control, commands, pass: (ms: number) => (nowMs += ms), now: () => nowMs };
}

const reload = 'control --reload';
const ping = 'control --ping';
const triggers = [
  'trigger --type=devices --action=add --subsystem-nomatch=tty',
  'trigger --type=subsystems --action=add',
];
const settle = 'settle --timeout=50';

test('the first check processes all devices, and later ones only what has happened since', async () => {
  const { control, commands } = openUdevd();
  assert.deepEqual(await control.check(timeoutMs), { healthy: true });
  assert.deepEqual(commands.splice(0), [ping, ...triggers, settle]);
  assert.deepEqual(await control.check(timeoutMs), { healthy: true });
  assert.deepEqual(commands, [ping, settle]);
});

test('a check waits for udevd, no longer than its timeout', async () => {
  const late = openUdevd({ deafMs: 3000 });
  assert.deepEqual(await late.control.check(timeoutMs), { healthy: true });
  assert.ok(late.now() < 4000, `${late.now()} ms`);

  const deaf = openUdevd({ deafMs: Number.POSITIVE_INFINITY });
  assert.deepEqual(await deaf.control.check(timeoutMs), { healthy: false, message: 'udevadm: no udevd' });
  assert.ok(deaf.now() <= timeoutMs, `${deaf.now()} ms`);
});

test('a check whose devices do not settle announces them no second time', async () => {
  let isSettled = false;
  const { control, commands } = openUdevd({ settles: () => isSettled });
  assert.deepEqual(await control.check(timeoutMs), { healthy: false, message: 'udevadm: timed out' });
  isSettled = true;
  assert.deepEqual(await control.check(timeoutMs), { healthy: true });
  assert.deepEqual(commands, [ping, ...triggers, settle, ping, settle]);
});

test('devices count as incomplete for the settle time of the command line', async () => {
  const short = openUdevd({ settleTimeMs: 5000 });
  assert.deepEqual(await short.control.check(timeoutMs), { healthy: true });
  assert.ok(short.now() >= 5000, `${short.now()} ms`);

  const long = openUdevd({ settleTimeMs: 90_000 });
  assert.deepEqual(await long.control.check(timeoutMs), {
    healthy: false,
    message: 'devices may still appear for 90s',
  });
  long.pass(60_000);
  assert.deepEqual(await long.control.check(timeoutMs), { healthy: true });
});

test('changed rules are read and applied to all devices', async () => {
  const { control, commands } = openUdevd();
  await control.applyRules(AbortSignal.timeout(timeoutMs));
  assert.deepEqual(commands, [reload, ...triggers, settle]);
});
