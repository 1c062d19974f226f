import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { test } from 'node:test';
import { isMeant } from './ask-question.ts';
import { UsageFault } from './failure.ts';

const effect = { verb: 'etcd leave', nodes: ['a'], lines: ['a leaves etcd'] };

async function asked(init: { isInteractive: boolean; typed?: string; nodes?: string[]; yes?: boolean }) {
  const stdin = new PassThrough();
  if (init.typed !== undefined) stdin.end(init.typed);
  const told: string[] = [];
  const env = {
    stdin: stdin as unknown as NodeJS.ReadStream,
    stderr: { write: (text: string | Uint8Array) => told.push(String(text)) },
    isInteractive: init.isInteractive,
    signal: new AbortController().signal,
  };
  const meant = await isMeant(env, { ...effect, nodes: init.nodes ?? effect.nodes }, init.yes ?? false);
  return { meant, told: told.join('') };
}

test('someone who sits there is told the effect and asked, also for one node', async () => {
  const question = 'a leaves etcd\nContinue? (y/N): ';
  for (const typed of ['y\n', 'YES\n', ' y \n']) {
    assert.deepEqual(await asked({ isInteractive: true, typed }), { meant: true, told: question });
  }
  for (const typed of ['n\n', '\n', '', 'yep\n']) {
    const { meant, told } = await asked({ isInteractive: true, typed });
    assert.deepEqual([meant, told], [false, `${question}nothing was done\n`]);
  }
});

test('nobody is asked with --yes, nor for one node where nobody sits', async () => {
  const nobody = { meant: true, told: '' };
  assert.deepEqual(await asked({ isInteractive: true, yes: true, nodes: ['a', 'b'] }), nobody);
  assert.deepEqual(await asked({ isInteractive: false }), nobody);
});

test('several nodes where nobody sits want --yes', async () => {
  await assert.rejects(
    asked({ isInteractive: false, nodes: ['a', 'b'] }),
    (error) => error instanceof UsageFault && /2 nodes \(a, b\).*--yes/.test(error.message),
  );
});
