import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BootClock, bootPhases, median } from '@nodewright/provision/machine';

const lines: readonly (readonly [number, string])[] = [
  [1, 'GRUB loading'],
  [2, '[    0.000000] Linux version 6.12'],
  [3, '[    1.1] Run /init as init process'],
  [5, '[    3.1] [nodewright] [initramfs] switching to the root file system'],
  [6, '{"name":"machined","msg":"there are no volumes"}'],
  [9, '{"name":"machined","pid":1,"msg":"daemon serves"}'],
  [10, '{"service":"apid","state":"Waiting","message":"Waiting for api certificates"}'],
  [11, '{"service":"apid","state":"Running","message":"Started task apid (PID 80) for container apid"}'],
];

test('BootClock measures the phases from the first line of the kernel to the answer', () => {
  const clock = new BootClock();
  for (const [at, text] of lines) {
    assert.equal(clock.awaitsAnswer, false);
    clock.line(text, at);
  }
  assert.equal(clock.awaitsAnswer, true);
  const measured = clock.answered(15);
  assert.deepEqual(measured, [1, 2, 4, 2, 4]);
  assert.equal(measured.length, bootPhases.length);
});

test('median() is the middle one, or the mean of the two', () => {
  assert.deepEqual([median([3]), median([9, 1, 4]), median([4, 1, 9, 2])], [3, 4, 3]);
});
