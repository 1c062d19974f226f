import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { test } from 'node:test';
import { confirmEffect } from './ask-question.ts';
import { UsageFault } from './failure.ts';

const effect = { verb: 'etcd leave', nodes: ['a'], lines: ['a leaves etcd'] };

async function confirmWith(init: {
  isInteractive: boolean;
  typed?: string;
  nodes?: string[];
  yes?: boolean;
}) {
  const stdin = new PassThrough();
  if (init.typed !== undefined) stdin.end(init.typed);
  const printed: string[] = [];
  const env = {
    stdin: stdin as unknown as NodeJS.ReadStream,
    stderr: { write: (text: string | Uint8Array) => printed.push(String(text)) },
    isInteractive: init.isInteractive,
    signal: new AbortController().signal,
  };
  const confirmed = await confirmEffect(
    env,
    { ...effect, nodes: init.nodes ?? effect.nodes },
    init.yes ?? false,
  );
  return { confirmed, printed: printed.join('') };
}

test('confirmEffect() prints the effect and asks on a terminal, even for one node', async () => {
  const question = 'a leaves etcd\nContinue? (y/N): ';
  for (const typed of ['y\n', 'YES\n', ' y \n']) {
    assert.deepEqual(await confirmWith({ isInteractive: true, typed }), {
      confirmed: true,
      printed: question,
    });
  }
  for (const typed of ['n\n', '\n', '', 'yep\n']) {
    const { confirmed, printed } = await confirmWith({ isInteractive: true, typed });
    assert.deepEqual([confirmed, printed], [false, `${question}nothing was done\n`]);
  }
});

test('confirmEffect() does not ask with --yes, or for one node without a terminal', async () => {
  const notAsked = { confirmed: true, printed: '' };
  assert.deepEqual(await confirmWith({ isInteractive: true, yes: true, nodes: ['a', 'b'] }), notAsked);
  assert.deepEqual(await confirmWith({ isInteractive: false }), notAsked);
});

test('confirmEffect() requires --yes for several nodes without a terminal', async () => {
  await assert.rejects(
    confirmWith({ isInteractive: false, nodes: ['a', 'b'] }),
    (error) => error instanceof UsageFault && /2 nodes \(a, b\).*--yes/.test(error.message),
  );
});
