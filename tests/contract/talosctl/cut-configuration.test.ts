// Commands that change configurations ask before they send one that takes the address away by which the node is called.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { GetRequest } from '@nodewright/contract/gen/cosi/resource/state.ts';
import {
  ApplyConfigurationRequest,
  ApplyConfigurationResponse,
  ApplyConfigurationRequest_Mode as Mode,
} from '@nodewright/contract/gen/machine/machine.ts';
import { pointerTo } from '@nodewright/state';
import { specExplanations } from '@nodewright/state/kinds';
import { FakeGateway, type FakeHandler } from './fake-gateway.ts';
import { FakeNodes, sampleConfig } from './fake-nodes.ts';
import { reply } from './replies.ts';
import { controlC, runAtTerminal } from './run-at-terminal.ts';
import { openNodeStore, stateHandlers } from './state-replies.ts';
import { openSuite } from './suite.ts';

const nodes = await FakeNodes.open();
/** What the node answers. */
let lostAddresses: string[] = [];
/** It refuses dry runs. */
let isBusy = false;
/** Undefined: it publishes no explanations, as nodes of upstream. */
let unmanaged: string | undefined = '';
const dryRuns: number[] = [];
const get = '/cosi.resource.State/Get';
const apply = '/machine.MachineService/ApplyConfiguration';
const machine = async (text: string) => stateHandlers([specExplanations], () => stores.get(text) as never);
const explanation = (text: string) => ({
  ...pointerTo(specExplanations, 'addresses'),
  spec: { unmanaged: text, specs: [], omitted: 0, problems: [] },
});
const stores = new Map([
  ['', await openNodeStore([specExplanations], [explanation('')])],
  ['a container', await openNodeStore([specExplanations], [explanation('a container')])],
]);
const ofMachine = { '': await machine(''), 'a container': await machine('a container') };
const handlers: Readonly<Record<string, FakeHandler>> = {
  ...nodes.handlers,
  [get]: (call) => {
    const isExplained = GetRequest.decode(call.request).type === specExplanations.type;
    const handlers = isExplained && unmanaged !== undefined ? ofMachine[unmanaged as ''] : nodes.handlers;
    return handlers[get]?.(call);
  },
  [apply]: (call) => {
    const { dryRun, mode } = ApplyConfigurationRequest.decode(call.request);
    if (!dryRun) return nodes.handlers[apply]?.(call);
    dryRuns.push(mode);
    if (isBusy) return call.fail(9, 'another configuration is being applied');
    reply(call, ApplyConfigurationResponse, { messages: [{ mode, lostAddresses }] });
  },
};
const suite = openSuite(handlers);
const cwd = mkdtempSync(join(tmpdir(), 'cut-'));
process.env.TMPDIR = cwd;
after(() => rmSync(cwd, { recursive: true }));
writeFileSync(join(cwd, 'next.yaml'), sampleConfig.replace('first', 'second'));

const commands: readonly [name: string, ...rest: string[]][] = [
  ['apply-config', '-f', 'next.yaml'],
  ['patch', 'mc', '-p', '{"apiVersion": "v1alpha1", "kind": "HostnameConfig", "hostname": "second"}'],
  ['edit', 'mc'],
];
const what = 'this configuration takes the address 10.9.9.9 away, by which the node is called';

interface Answer {
  readonly lost?: string[];
  readonly unmanaged?: string | undefined;
}

async function run(
  words: readonly string[],
  reactions: readonly string[],
  answer: Answer = {},
  isInteractive = true,
  node = 'node01',
) {
  lostAddresses = answer.lost ?? ['10.9.9.9'];
  unmanaged = 'unmanaged' in answer ? answer.unmanaged : '';
  nodes.sent.length = 0;
  dryRuns.length = 0;
  const environment = { TALOSCONFIG: suite.talosconfig, TALOS_EDITOR: 'sed -i s/first/second/' };
  const result = await runAtTerminal(['-n', node, ...words], {
    ...{ environment, cwd, reactions, isInteractive, interrupt: new AbortController() },
  });
  return { ...result, sent: nodes.sent.length, asked: [...dryRuns] };
}

test('without a terminal nothing is sent that cuts the node off, unless --yes is given', async () => {
  for (const words of commands) {
    const { stderr, exitCode, sent, asked } = await run(words, [], {}, false);
    assert.match(
      stderr,
      new RegExp(`node01: ${what}; .*: add flag --yes, or try it with --mode=try: nothing was sent`),
      words[0],
    );
    // A dry run in this mode leaves a trial as it is.
    assert.deepEqual([exitCode, sent, asked], [1, 0, [Mode.TRY]], words[0]);
    const agreed = await run([...words, '--yes'], [], {}, false);
    assert.deepEqual([agreed.exitCode, agreed.sent, agreed.asked], [0, 1, []], words[0]);
  }
});

test('on a terminal it is sent only after the user agrees', async () => {
  for (const words of commands) {
    const refused = await run(words, ['n']);
    assert.match(
      refused.stderr,
      new RegExp(`node01: WARNING: ${what}\nContinue in cluster "test"\\? \\(y/N\\): `),
      words[0],
    );
    assert.match(refused.stderr, /not confirmed: nothing was sent/, words[0]);
    assert.deepEqual([refused.exitCode, refused.sent], [1, 0], words[0]);
    const agreed = await run(words, ['y']);
    assert.deepEqual([agreed.exitCode, agreed.sent], [0, 1], words[0]);
    const interrupted = await run(words, [controlC]);
    assert.deepEqual([interrupted.exitCode, interrupted.sent], [130, 0], words[0]);
  }
});

test('what is only tried is sent with a warning, and what is staged without one', async () => {
  for (const words of commands) {
    const tried = await run([...words, '--mode=try'], [], {}, false);
    assert.match(tried.stderr, new RegExp(`node01: WARNING: ${what}: its answer may be lost`), words[0]);
    assert.deepEqual([tried.exitCode, tried.sent], [0, 1], words[0]);
    const staged = await run([...words, '--mode=staged'], [], {}, false);
    assert.deepEqual([staged.exitCode, staged.sent, staged.asked], [0, 1, []], words[0]);
    assert.doesNotMatch(staged.stderr, /takes the address/);
  }
});

test('nothing is asked when no address goes, and of nodes that set none or do not say it', async () => {
  const [words = ['']] = commands;
  for (const [answer, dryRunCount] of [
    [{ lost: [] }, 1],
    [{ unmanaged: 'a container' }, 0],
    [{ unmanaged: undefined }, 0],
  ] as const) {
    const { exitCode, sent, asked } = await run(words, [], answer as Answer, false);
    assert.deepEqual([exitCode, sent, asked.length], [0, 1, dryRunCount], JSON.stringify(answer));
  }
});

test('a machine that refuses the dry run is not asked in another mode, which would end a running trial', async () => {
  isBusy = true;
  try {
    const [words = ['']] = commands;
    const { exitCode, sent, asked } = await run(words, [], {}, false);
    assert.deepEqual([exitCode, sent, asked], [0, 1, [Mode.TRY]]);
  } finally {
    isBusy = false;
  }
});

test('an IPv6 address counts as the called one however it is written', async () => {
  const [words = ['']] = commands;
  const { stderr, sent } = await run(words, [], { lost: ['fd00::9'] }, false, 'FD00:0:0::9');
  assert.match(stderr, /takes the address fd00::9 away/);
  assert.equal(sent, 0);
  const other = await run(words, [], { lost: ['fd00::8'] }, false, 'FD00:0:0::9');
  assert.doesNotMatch(other.stderr, /takes the address/);
});

test('a control character in an address is escaped', async () => {
  const [words = ['']] = commands;
  const { stderr } = await run(words, [], { lost: ['10.9.9.9\u001b[2J'] }, false);
  assert.equal(stderr.includes('\u001b'), false, JSON.stringify(stderr));
});

test('a machine in maintenance is not asked: its first configuration ends the lease that it is called by', async () => {
  lostAddresses = ['10.9.9.9'];
  [dryRuns.length, nodes.sent.length] = [0, 0];
  const identity = await suite.cluster.serverCertificate();
  await using node = await FakeGateway.listen({ identity, handlers });
  const words = ['-n', node.address, 'apply-config', '--insecure', '-f', 'next.yaml'];
  const { stderr } = await runAtTerminal(words, {
    ...{ environment: {}, cwd, reactions: [], isInteractive: false, interrupt: new AbortController() },
  });
  assert.deepEqual([dryRuns, nodes.sent.length], [[], 1], stderr);
});
