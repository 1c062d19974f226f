import assert from 'node:assert/strict';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { eventually } from '@nodewright/testkit';
import { dockerLines } from './docker-lines.ts';

/** The lines of a program in the place of `docker`, whose first line is its pid. */
function linesOf(t: TestContext, script: string) {
  const folder = mkdtempSync(join(tmpdir(), 'docker-lines-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const program = join(folder, 'docker');
  writeFileSync(program, `#!/bin/sh\necho $$\n${script}\n`);
  chmodSync(program, 0o700);
  const stop = new AbortController();
  const environment = { PATH: `${folder}:${process.env.PATH}` };
  return { stop, lines: dockerLines(['events'], { environment, signal: stop.signal }) };
}

function hasEnded(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return false;
  } catch {
    return true;
  }
}

test('dockerLines() ends a command whose loop is left, or whose signal aborts, with what it has started', async (t) => {
  for (const how of ['left', 'aborted']) {
    const { lines, stop } = linesOf(t, 'sleep 600 & echo $!; wait');
    const pids: number[] = [];
    for await (const line of lines) {
      pids.push(Number(line));
      if (pids.length < 2) continue;
      if (how === 'left') break;
      stop.abort();
    }
    await eventually(() => pids.every(hasEnded), { what: `end of the processes ${pids}, ${how}` });
  }
});

test('dockerLines() signals no process group of a command that has ended: another process may have its number', async (t) => {
  const { lines } = linesOf(t, '');
  const kill = t.mock.method(process, 'kill');
  for await (const line of lines) {
    await eventually(() => hasEnded(Number(line)), { what: 'end of the command' });
    break;
  }
  assert.deepEqual(
    kill.mock.calls.map(({ arguments: [, signal] }) => signal).filter((signal) => signal !== 0),
    [],
  );
});
