import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { warnOfRefusedCollector } from './refused-collector.ts';

test('warnOfRefusedCollector() prints one line with the endpoint, at most once in 24 hours', (t) => {
  const home = mkdtempSync(join(tmpdir(), 'refused-collector-'));
  t.after(() => rmSync(home, { recursive: true }));
  const warnAt = (time: string, environment: Record<string, string> = { HOME: home }) => {
    let printed = '';
    const write = (text: string) => {
      printed += text;
      return true;
    };
    warnOfRefusedCollector('http://127.0.0.1:4318', {
      environment,
      now: () => new Date(time),
      stderr: { write } as NodeJS.WriteStream,
    });
    return printed;
  };
  const line =
    'warning: the trace of this command is lost: the collector at http://127.0.0.1:4318 refuses connections\n';
  assert.deepEqual(
    [
      warnAt('2026-08-15T10:00:00Z'),
      warnAt('2026-08-15T10:00:00Z'),
      warnAt('2026-08-16T09:59:59Z'),
      warnAt('2026-08-16T10:00:00Z'),
      warnAt('2026-08-16T10:00:01Z'),
      // The clock was set back.
      warnAt('2026-08-10T10:00:00Z'),
      warnAt('2026-08-10T11:00:00Z'),
    ],
    [line, '', '', line, '', line, ''],
  );
  writeFileSync(join(home, '.talos', 'collector-refused'), 'no time');
  assert.equal(warnAt('2026-08-10T12:00:00Z'), line);
  assert.equal(warnAt('2026-08-10T12:00:00Z', { TALOS_HOME: join(home, 'no', 'folder'), HOME: home }), '');
});
