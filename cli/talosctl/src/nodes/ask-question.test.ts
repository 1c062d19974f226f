import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { after, test } from 'node:test';
import { InterruptedFailure, ReportedFailure, UsageFault } from '../context/failure.ts';
import { confirmEffect } from './ask-question.ts';

const folder = mkdtempSync(join(tmpdir(), 'questions-'));
after(() => rmSync(folder, { recursive: true }));
const talosconfig = join(folder, 'config');
writeFileSync(talosconfig, 'context: admin@green\ncontexts: {admin@green: {}}\n');

const effect = { verb: 'etcd leave', nodes: ['a'], lines: ['a leaves etcd'] };

async function confirmWith(init: {
  isInteractive: boolean;
  typed?: string;
  nodes?: string[];
  yes?: boolean;
  signal?: AbortSignal;
}) {
  const stdin = new PassThrough();
  if (init.typed !== undefined) stdin.end(init.typed);
  const [printed, shown]: [string[], string[]] = [[], []];
  const env = {
    stdin: stdin as unknown as NodeJS.ReadStream,
    stdout: { write: (text: string | Uint8Array) => shown.push(String(text)) },
    stderr: { write: (text: string | Uint8Array) => printed.push(String(text)) },
    isInteractive: init.isInteractive,
    signal: init.signal ?? new AbortController().signal,
    environment: { TALOSCONFIG: talosconfig },
    cwd: '/',
  };
  const failure: unknown = await confirmEffect(
    env,
    { ...effect, nodes: init.nodes ?? effect.nodes },
    { yes: init.yes, output: 'json' },
  ).then(
    () => undefined,
    (error) => error,
  );
  return { failure, printed: printed.join(''), shown: shown.join('') };
}

const question = 'a leaves etcd\nContinue in cluster "green"? (y/N): ';

test('confirmEffect() prints the effect and asks on a terminal, even for one node', async () => {
  for (const typed of ['y\n', 'YES\n', ' y \n', 'y']) {
    assert.deepEqual(await confirmWith({ isInteractive: true, typed }), {
      failure: undefined,
      printed: question,
      shown: '',
    });
  }
});

test('confirmEffect() fails with a document for each node when the user does not agree', async () => {
  for (const typed of ['n\n', '\n', '', 'yep\n']) {
    const { failure, printed, shown } = await confirmWith({ isInteractive: true, typed });
    assert.ok(failure instanceof ReportedFailure, typed);
    assert.equal(printed, `${question}nothing was done\n`);
    const error = { code: 'Canceled', message: 'not confirmed: nothing was done' };
    assert.deepEqual(JSON.parse(shown), [{ node: 'a', error }]);
  }
});

test('confirmEffect() never takes an interrupt for an answer, also when it came before the question', async () => {
  const early = await confirmWith({ isInteractive: true, typed: 'y\n', signal: AbortSignal.abort() });
  const interrupt = new AbortController();
  const asked = confirmWith({ isInteractive: true, signal: interrupt.signal });
  setImmediate(() => interrupt.abort());
  for (const { failure, printed, shown } of [early, await asked]) {
    assert.ok(failure instanceof InterruptedFailure);
    assert.deepEqual([printed, failure.message], [question, 'nothing was done']);
    assert.match(JSON.parse(shown)[0].error.message, /^interrupted at the question/);
  }
});

test('confirmEffect() does not ask with --yes, or for one node without a terminal', async () => {
  const notAsked = { failure: undefined, printed: '', shown: '' };
  assert.deepEqual(await confirmWith({ isInteractive: true, yes: true, nodes: ['a', 'b'] }), notAsked);
  assert.deepEqual(await confirmWith({ isInteractive: false }), notAsked);
});

test('confirmEffect() requires --yes for several nodes without a terminal', async () => {
  const { failure } = await confirmWith({ isInteractive: false, nodes: ['a', 'b'] });
  assert.ok(failure instanceof UsageFault && /2 nodes \(a, b\).*--yes/.test(failure.message));
});
