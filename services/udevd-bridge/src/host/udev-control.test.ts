import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Fault } from '@nodewright/fault';
import { createUdevControl } from './udev-control.ts';

const timeoutMs = 55_000;

/** A udevd that answers after `deafMs`, on a clock that only the commands and the pauses advance. */
function openUdevd({
  deafMs = 0,
  settleTimeMs = 0,
  settles = (): boolean => true,
  onCommand = (_words: string): void => {},
} = {}) {
  const commands: string[] = [];
  let nowMs = 0;
  const control = createUdevControl({
    program: '/usr/bin/udevadm',
    async run({ argv: [program, ...words], timeoutMs: limitMs }) {
      assert.equal(program, '/usr/bin/udevadm');
      assert.ok(Number.isInteger(limitMs) && limitMs > 0 && limitMs <= 60_000, `${limitMs} ms`);
      nowMs += 10.3;
      commands.push(words.join(' '));
      onCommand(words.join(' '));
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
  assert.equal(await control.check(timeoutMs), undefined);
  assert.deepEqual(commands.splice(0), [ping, ...triggers, settle]);
  assert.equal(await control.check(timeoutMs), undefined);
  assert.deepEqual(commands, [ping, settle]);
});

test('a check waits for udevd, no longer than its timeout', async () => {
  const late = openUdevd({ deafMs: 3000 });
  assert.equal(await late.control.check(timeoutMs), undefined);
  assert.ok(late.now() < 4000, `${late.now()} ms`);

  const deaf = openUdevd({ deafMs: Number.POSITIVE_INFINITY });
  assert.equal(await deaf.control.check(timeoutMs), 'udevadm: no udevd');
  assert.ok(deaf.now() <= timeoutMs, `${deaf.now()} ms`);
});

test('a check whose devices do not settle announces them no second time', async () => {
  let isSettled = false;
  const { control, commands } = openUdevd({ settles: () => isSettled });
  assert.equal(await control.check(timeoutMs), 'udevadm: timed out');
  isSettled = true;
  assert.equal(await control.check(timeoutMs), undefined);
  assert.deepEqual(commands, [ping, ...triggers, settle, ping, settle]);
});

test('devices count as incomplete for the settle time of the command line', async () => {
  const short = openUdevd({ settleTimeMs: 5000 });
  assert.equal(await short.control.check(timeoutMs), undefined);
  assert.ok(short.now() >= 5000, `${short.now()} ms`);

  const long = openUdevd({ settleTimeMs: 90_000 });
  assert.equal(await long.control.check(timeoutMs), 'devices may still appear for 90s');
  long.pass(60_000);
  assert.equal(await long.control.check(timeoutMs), undefined);
});

test('a udevd that was started again processes all devices again', async () => {
  const { control, commands } = openUdevd();
  await control.check(timeoutMs);
  control.forget();
  commands.splice(0);
  assert.equal(await control.check(timeoutMs), undefined);
  assert.deepEqual(commands, [ping, ...triggers, settle]);
});

test('a udevd that is started again during a check processes all devices again before they count as settled', async () => {
  for (const during of [ping, ...triggers, settle]) {
    let restarts = 1;
    const udevd = openUdevd({
      onCommand(words) {
        if (words === during && restarts-- > 0) udevd.control.forget();
      },
    });
    assert.equal(await udevd.control.check(timeoutMs), 'udevd was started again during the check', during);
    udevd.commands.splice(0);
    assert.equal(await udevd.control.check(timeoutMs), undefined);
    assert.deepEqual(udevd.commands, [ping, ...triggers, settle], during);
  }
});

test('changed rules are read before devices are announced', async () => {
  const { control, commands } = openUdevd();
  const { signal } = new AbortController();
  await control.trigger({ action: 'add', paths: [], reloadsRules: true }, signal);
  await control.trigger(
    { action: 'change', paths: ['/devices/virtual/net/lo'], reloadsRules: false },
    signal,
  );
  assert.deepEqual(commands, [reload, ...triggers, 'trigger --action=change /sys/devices/virtual/net/lo']);
});

test('devices that do not settle in time are reported as such, and other failures as failures', async () => {
  const slow = openUdevd({ settles: () => slow.pass(2000) < 0 });
  const { signal } = new AbortController();
  assert.equal(await slow.control.settle(2000, signal), false);
  const broken = openUdevd({ settles: () => false });
  await assert.rejects(broken.control.settle(60_000, signal), { message: 'udevadm: timed out' });
});

test('a udevd that an earlier run has left is ended first', async () => {
  const { control, commands } = openUdevd({ deafMs: Number.POSITIVE_INFINITY });
  await control.endOther();
  assert.deepEqual(commands, [ping]);
  const stubborn = openUdevd();
  await assert.rejects(stubborn.control.endOther(), { message: 'another udevd runs, and does not end' });
  assert.deepEqual(stubborn.commands.slice(0, 2), [ping, 'control --exit']);
});
