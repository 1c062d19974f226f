import assert from 'node:assert/strict';
import { test } from 'node:test';
import { haltIfInstalled } from './halt-if-installed.ts';

function halt(commandLine: string, systems: readonly string[]) {
  const lines: string[] = [];
  const waits: number[] = [];
  const result = haltIfInstalled({
    ...{ commandLine, systems: async () => systems, report: (line: string) => void lines.push(line) },
    timers: {
      now: () => 0,
      monotonicMs: () => 0,
      after(delayMs, action) {
        waits.push(delayMs);
        const timer = setImmediate(action);
        return { [Symbol.dispose]: () => clearImmediate(timer) };
      },
    },
    signal: new AbortController().signal,
  });
  return { result, lines, waits };
}

test('haltIfInstalled() reports every 30 s for 70 minutes, and then restarts the machine', async () => {
  const { result, lines, waits } = halt('quiet talos.halt_if_installed=1\n', [
    '/dev/vda (partitions EFI, BOOT)',
  ]);
  assert.equal(await result, true);
  assert.equal(lines.length, 140);
  assert.match(lines[0] ?? '', /\/dev\/vda \(partitions EFI, BOOT\): take the medium out/);
  assert.equal(
    waits.reduce((sum, ms) => sum + ms, 0),
    70 * 60_000,
  );
});

test('haltIfInstalled() lets a machine start without the argument, without a system, or with a false value', async () => {
  for (const [line, systems] of [
    ['quiet', ['/dev/vda']],
    ['talos.halt_if_installed=1 talos.halt_if_installed=0', ['/dev/vda']],
    ['talos.halt_if_installed=', ['/dev/vda']],
    ['talos.halt_if_installed=1', []],
  ] as const) {
    const { result, lines } = halt(line, systems);
    assert.deepEqual([await result, lines], [false, []], line);
  }
});
