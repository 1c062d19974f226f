// A single short run of the whole benchmark: `node --test tests/bench/bench.test.ts`. Needs the bundles.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { findProcesses } from './process-memory.ts';
import type { BenchResults, UnaryResult } from './report/bench-results.ts';

test('bench.ts measures every target, writes its figures and leaves nothing behind', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'figures-'));
  try {
    const out = join(folder, 'bench.json');
    const program = join(import.meta.dirname, 'bench.ts');
    const { stdout } = await promisify(execFile)(process.execPath, [program, '--quick', '--out', out], {
      env: { ...process.env, TMPDIR: folder },
    });
    const results = JSON.parse(readFileSync(out, 'utf8')) as BenchResults;
    const hasPeer = results.nghttpx !== undefined;
    const hasGo = results.goProxy !== undefined;
    const keys = results.unary.map(({ gateway, hops, streams }) => `${gateway} ${hops} ${streams}`);
    const gateways = [
      ...['none 0', 'apid 1'],
      ...(hasPeer ? ['nghttpx 1'] : []),
      ...(hasGo ? ['go-proxy 1'] : []),
      'apid 2',
      ...(hasPeer ? ['nghttpx 2'] : []),
    ];
    assert.deepEqual(
      keys,
      [1, 16, 64].flatMap((streams) => gateways.map((gateway) => `${gateway} ${streams}`)),
    );
    assert.equal(
      hasPeer,
      results.notes.every((note) => !note.includes('nghttpx')),
    );
    assert.equal(
      hasGo,
      results.notes.every((note) => !note.includes('Go proxy')),
    );
    assert.equal(results.cold?.length, gateways.length);
    for (const result of [...results.cold, ...results.unary, ...results.fanOut]) checkFigures(result);
    assert.deepEqual(
      results.stream.map(
        ({ target, reader, isFirst }) => `${target} ${reader}${isFirst === true ? ' first' : ''}`,
      ),
      ['fast first', 'fast', 'slow'].flatMap((kind) => [
        ...(kind === 'fast' ? ['no gateway fast'] : []),
        ...['apid', ...(hasPeer ? ['nghttpx'] : []), ...(hasGo ? ['Go proxy'] : [])].map(
          (target) => `${target} ${kind}`,
        ),
      ]),
    );
    for (const { process, idle, peak } of results.memory)
      assert.ok(idle.rss > 1 && peak >= idle.rss, process);
    for (const { target } of [...results.unary, ...results.stream])
      assert.ok(stdout.includes(target), target);
    assert.deepEqual(findProcesses(folder), []);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

function checkFigures({ target, median, runs }: UnaryResult): void {
  const { requestsPerSecond, p50, p99, cpu } = median;
  const figures = [requestsPerSecond, p50, p99, ...Object.values(cpu)];
  assert.ok(
    figures.every((figure) => figure > 0),
    `${target}: ${JSON.stringify(median)}`,
  );
  assert.ok(p50 <= p99 && runs.length === 1, target);
}
