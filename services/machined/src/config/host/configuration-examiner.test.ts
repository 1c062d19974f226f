import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { worlds } from '../../base/domain/world.ts';
import { createConfigurationExaminer } from './configuration-examiner.ts';

const folder = mkdtempSync(join(tmpdir(), 'examiner-'));
after(() => rmSync(folder, { recursive: true }));

/** Too long to be examined without a worker. */
const text = '\n'.repeat(100_000);

/** Examines `text` with a worker that runs this program, and returns the result or the error. */
async function examine(program: string, deadlineMs: number): Promise<unknown> {
  const file = join(folder, 'worker.mjs');
  writeFileSync(file, program);
  const examiner = createConfigurationExaminer(worlds.process, { file, deadlineMs });
  return examiner.examine({ text }).catch(({ kind, message }) => ({ kind, message }));
}

test('a configuration that needs too much memory is refused, and the process survives', async () => {
  const grow = 'const kept = []; for (;;) kept.push(new Array(100_000).fill({}));';
  assert.deepEqual(await examine(grow, 600_000), {
    kind: 'resource-exhausted',
    message: 'reading the machine configuration needs more than 128 MB',
  });
});

test('a configuration that takes too long is refused, and its worker is terminated', async () => {
  assert.deepEqual(await examine('for (;;);', 1000), {
    kind: 'resource-exhausted',
    message: 'reading the machine configuration takes longer than 1 s',
  });
});

test('a worker that exits without a result fails the examination', async () => {
  assert.deepEqual(await examine('', 600_000), {
    kind: 'internal',
    message: 'the worker that reads the machine configuration exited without a result',
  });
});

test('a dry run of a long configuration returns the values in force, which the caller compares', async () => {
  const pem = Buffer.from('-----BEGIN CERTIFICATE-----').toString('base64');
  const valid = `machine: { type: worker, ca: { crt: ${pem} } }
cluster: { id: b }
---
apiVersion: v1alpha1
kind: ResolverConfig
hostDNS: { enabled: true, forwardKubeDNSToHost: true }
`;
  const { configuration, refusal } = await createConfigurationExaminer(worlds.process).examine({
    text: `${text}${valid}`,
    difference: { before: undefined, showSecrets: false },
  });
  assert.equal(refusal, undefined);
  assert.equal(configuration.effective?.machineType, 'worker');
  assert.equal(configuration.effective?.cluster.id, 'b');
});
