// Commands that change configurations ask before they send one of another cluster or machine type.
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { eventually } from '@nodewright/testkit';
import { FakeNodes, sampleConfig } from './fake-nodes.ts';
import { controlC, runAtTerminal } from './run-at-terminal.ts';
import { openSuite } from './suite.ts';

const nodes = await FakeNodes.open();
/** The nodes that do not say what configuration they have, and those that were asked for it in vain. */
const [silent, asked]: [Set<string>, string[]] = [new Set(), []];
const get = '/cosi.resource.State/Get';
const suite = openSuite({
  ...nodes.handlers,
  [get]: (call) => {
    const { node = '' } = call;
    return silent.has(node) ? asked.push(node) : nodes.handlers[get]?.(call);
  },
});
const cwd = mkdtempSync(join(tmpdir(), 'foreign-'));
// The commands run in this process, and what `edit` keeps is removed with the rest.
process.env.TMPDIR = cwd;
after(() => rmSync(cwd, { recursive: true }));
writeFileSync(join(cwd, 'foreign.yaml'), sampleConfig.replace('worker', 'controlplane'));

const warning = 'this configuration is for a control plane, and the active one for a worker';
const commands: readonly [name: string, ...rest: string[]][] = [
  ['apply-config', '-f', 'foreign.yaml'],
  ['patch', 'mc', '-p', '{"machine": {"type": "controlplane"}}'],
  ['edit', 'mc'],
];

async function run(
  words: readonly string[],
  reactions: readonly string[],
  isInteractive = true,
  interrupt = new AbortController(),
) {
  nodes.sent.length = 0;
  const environment = { TALOSCONFIG: suite.talosconfig, TALOS_EDITOR: 'sed -i s/worker/controlplane/' };
  const result = await runAtTerminal([...(words.includes('-n') ? [] : ['-n', 'node01']), ...words], {
    ...{ environment, cwd, reactions, isInteractive, interrupt },
  });
  return { ...result, sent: nodes.sent.length };
}

test('a configuration of the other machine type is not sent without a terminal, unless --yes is given', async () => {
  for (const words of commands) {
    const { stderr, exitCode, sent } = await run(words, [], false);
    assert.match(stderr, new RegExp(`node01: ${warning}; .*: add flag --yes: nothing was sent`), words[0]);
    assert.deepEqual([exitCode, sent], [1, 0], words[0]);
  }
});

test('a configuration of the other machine type is sent only after the user agrees', async () => {
  for (const words of commands) {
    const refused = await run(words, ['n']);
    assert.match(
      refused.stderr,
      new RegExp(`node01: WARNING: ${warning}\nContinue in cluster "test"\\? \\(y/N\\): `),
      words[0],
    );
    assert.match(refused.stderr, /not confirmed: nothing was sent/, words[0]);
    assert.deepEqual([refused.exitCode, refused.sent], [1, 0], words[0]);
    const interrupted = await run(words, [controlC]);
    assert.deepEqual([interrupted.exitCode, interrupted.sent], [130, 0], words[0]);
  }
});

test('a dry run does not ask, because the node warns', async () => {
  for (const words of commands) {
    const { stderr, sent } = await run([...words, '--dry-run'], [], false);
    assert.deepEqual([sent, stderr.includes('--yes')], [1, false], words[0]);
  }
});

test('a configuration of the other machine type is sent with --yes, or when the user agrees', async () => {
  for (const words of commands.slice(0, 2)) {
    const agreed = await run(words, ['y']);
    assert.deepEqual([agreed.exitCode, agreed.sent], [0, 1], words[0]);
    const { stderr, exitCode, sent } = await run([...words, '--yes'], [], false);
    assert.deepEqual([exitCode, sent, stderr.includes('Continue')], [0, 1, false], words[0]);
  }
});

const both = ['-n', 'node01,node02'];
const unsent = (node: string) => ({
  node,
  error: { code: 'Canceled', message: 'interrupted: nothing was sent' },
});

test('apply-config waits only seconds for a node that does not say which configuration it has', async () => {
  silent.add('node02');
  const interrupt = new AbortController();
  const running = run(['apply-config', '-f', 'foreign.yaml', ...both], ['y'], true, interrupt);
  try {
    await eventually(() => nodes.sent.length === 2, { what: 'both nodes to get the configuration' });
    const { stderr, exitCode } = await running;
    assert.equal(exitCode, 0, stderr);
    assert.match(stderr, new RegExp(`node01: WARNING: ${warning}\\nContinue`));
  } finally {
    interrupt.abort();
    silent.clear();
    await running;
  }
});

test('an interrupt at the question for a later node reports the nodes before it', async () => {
  for (const words of commands.slice(1)) {
    const { stdout, stderr, exitCode, sent } = await run([...words, ...both, '-o', 'json'], ['y', controlC]);
    const [first, second] = JSON.parse(stdout);
    assert.deepEqual([first.node, first.mode], ['node01', 'no-reboot'], words[0]);
    assert.deepEqual(second, unsent('node02'), words[0]);
    assert.match(stderr, /node02: interrupted: nothing was sent\n/, words[0]);
    assert.doesNotMatch(stderr, /nothing was done/, words[0]);
    assert.deepEqual([exitCode, sent], [130, 1], words[0]);
  }
});

test('apply-config that is interrupted at a question reports that nothing was sent to any node', async () => {
  const words = ['apply-config', '-f', 'foreign.yaml', ...both, '-o', 'json'];
  const { stdout, exitCode, sent } = await run(words, ['y', controlC]);
  assert.deepEqual(JSON.parse(stdout), [unsent('node01'), unsent('node02')]);
  assert.deepEqual([exitCode, sent], [130, 0]);
});

test('edit that is interrupted at the question says where the text is', async () => {
  const { stderr, exitCode } = await run(['edit', 'mc'], [controlC]);
  assert.equal(exitCode, 130);
  const [, path = ''] = /your text is saved in (\S+): /.exec(stderr) ?? [];
  assert.equal(readFileSync(path, 'utf8'), sampleConfig.replace('worker', 'controlplane'));
});

test('apply-config that is interrupted while it reads the active configurations says that nothing was sent', async () => {
  for (const isInteractive of [true, false]) {
    asked.length = 0;
    silent.add('node02');
    const interrupt = new AbortController();
    const words = ['apply-config', '-f', 'foreign.yaml', ...both, '-o', 'json'];
    const running = run(words, [], isInteractive, interrupt);
    try {
      await eventually(() => asked.length > 0, { what: 'node02 to be asked for its configuration' });
    } finally {
      interrupt.abort();
      silent.clear();
    }
    const { stdout, stderr, exitCode, sent } = await running;
    assert.deepEqual(JSON.parse(stdout), [unsent('node01'), unsent('node02')]);
    assert.match(
      stderr,
      /node01: interrupted: nothing was sent\nnode02: interrupted: nothing was sent\ncancelled: nothing more is sent\n$/,
    );
    assert.deepEqual([exitCode, sent], [130, 0]);
  }
});
