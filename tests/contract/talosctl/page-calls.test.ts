// What a page of `talosctl ui` may ask of nodes, and what it may do to them.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, before, test } from 'node:test';
import { openTalosClient, type TalosClient } from '@nodewright/client';
import { parseTalosconfig } from '@nodewright/client/talosconfig';
import { ApplyConfigurationRequest_Mode as Mode } from '@nodewright/contract/gen/machine/machine.ts';
import { FakeTimers } from '@nodewright/controllers/testing';
import { PageCalls } from '../../../cli/talosctl/src/ui/act/page-calls.ts';
import type {
  ActionState,
  CheckAnswer,
  DifferenceAnswer,
  EffectAnswer,
  ShownConfiguration,
  Trial,
} from '../../../cli/talosctl/src/ui/protocol/calls.ts';
import { FakeCluster } from './fake-cluster.ts';
import { FakeNodes, sampleConfig } from './fake-nodes.ts';

const scope = new AsyncDisposableStack();
let client: TalosClient;
let nodes: FakeNodes;

before(async () => {
  nodes = await FakeNodes.open();
  const cluster = scope.use(await FakeCluster.create());
  const gateway = await cluster.gateway(nodes.handlers);
  const path = await cluster.talosconfig({ endpoints: [gateway.address], nodes: ['node01', 'node02'] });
  const config = parseTalosconfig(await readFile(path, 'utf8'));
  client = scope.use(openTalosClient({ context: config.contexts.get('test') }));
});
after(() => scope.disposeAsync());

class Calls implements Disposable {
  nowMs = Date.now();
  readonly trials: Trial[][] = [];
  readonly actions: ActionState[][] = [];
  readonly #calls: PageCalls;
  readonly #timers = new FakeTimers();
  #changed = Promise.withResolvers<void>();

  constructor(allowsActions: boolean) {
    this.#calls = new PageCalls({
      ...{ client, nodes: client.targets, allowsActions, callerRoles: ['os:admin'], cluster: 'test' },
      traces: {},
      now: () => new Date(this.nowMs),
      timers: this.#timers,
      onTrials: (trials) => this.#take(() => this.trials.push([...trials])),
      onActions: (actions) => this.#take(() => this.actions.push([...actions])),
    });
  }

  ask<T = unknown>(name: string, body: unknown): Promise<T> {
    return this.#calls.call(name, body) as Promise<T>;
  }

  /** The text that the page shows of node01. */
  async shown(): Promise<string> {
    return (await this.configuration()).text;
  }

  /** The same, with its version. */
  async configuration(): Promise<ShownConfiguration> {
    const [node] = client.targets;
    assert.ok(node !== undefined);
    const { configurations } = this.#calls;
    return configurations.shown((await configurations.read(node, new AbortController().signal)).documents);
  }

  async until(isMet: () => boolean): Promise<void> {
    while (!isMet()) await this.#changed.promise;
  }

  [Symbol.dispose](): void {
    this.#calls[Symbol.dispose]();
  }

  #take(body: () => void): void {
    body();
    this.#changed.resolve();
    this.#changed = Promise.withResolvers<void>();
  }
}

const secret = /aaaaaa\.bbbbbbbbbbbbbbbb/;

test('without --allow-actions every request that changes nodes is refused, and nothing is sent', async () => {
  using calls = new Calls(false);
  const text = (await calls.shown()).replace('hostname: first', 'hostname: second');
  const bodies: readonly (readonly [string, unknown])[] = [
    ['try', { node: 'node01', text, seconds: 60 }],
    ['keep', { node: 'node01' }],
    ['act', { action: { kind: 'reboot', mode: 'default' }, nodes: ['node01'] }],
    // What is sent does not matter.
    ...[['try', null] as const, ['act', []] as const, ['act', { allowsActions: true }] as const],
  ];
  const sentBefore = nodes.sent.length;
  for (const [name, body] of bodies) {
    await assert.rejects(calls.ask(name, body), { kind: 'permission-denied', message: /--allow-actions/ });
  }
  assert.deepEqual([nodes.sent.slice(sentBefore), calls.actions, calls.trials], [[], [], []]);
});

test('requests that no page of ours makes are refused with a reason', async () => {
  using calls = new Calls(true);
  for (const name of ['nothing', 'constructor', '__proto__', 'toString', '', 'subscriptions/x']) {
    await assert.rejects(calls.ask(name, {}), { kind: 'not-found' }, name);
  }
  const wrong: readonly (readonly [string, unknown])[] = [
    ...[
      ['check', null] as const,
      ['check', 'text'] as const,
      ['check', { node: 'node09', text: '' }] as const,
    ],
    ['check', { node: 'node01', text: 7 }],
    ['try', { node: 'node01', text: sampleConfig, seconds: 60 }],
    ['try', { node: 'node01', text: sampleConfig, seconds: 60, over: 1 }],
    ['try', { node: 'node01', text: sampleConfig, over: '', seconds: 4 }],
    ['try', { node: 'node01', text: sampleConfig, over: '', seconds: 1e9 }],
    ['try', { node: 'node01', text: sampleConfig, over: '', seconds: '60' }],
    ['keep', { node: 'node01' }],
    ['act', { action: { kind: 'reboot', mode: 'default' }, nodes: [] }],
    ['act', { action: { kind: 'reboot', mode: 'default' }, nodes: ['node01', 'elsewhere'] }],
    ['act', { action: { kind: 'upgrade' }, nodes: ['node01'] }],
    ['act', { action: { kind: 'etcd', verb: 'defrag' }, nodes: ['node01', 'node02'] }],
  ];
  for (const [name, body] of wrong)
    await assert.rejects(calls.ask(name, body), { kind: 'invalid-argument' }, JSON.stringify(body));
});

test('a reset starts only with what the command line wants typed', async () => {
  using calls = new Calls(true);
  const action = { kind: 'reset', isGraceful: true, reboots: false, wiped: 'everything', userDisks: [] };
  const one = await calls.ask<EffectAnswer>('effect', { action, nodes: ['node01'] });
  assert.equal(one.typed, 'node01');
  assert.equal(one.question, 'Type "node01", the name of the node in cluster "test", to continue');
  const two = await calls.ask<EffectAnswer>('effect', { action, nodes: ['node01', 'node02'] });
  assert.equal(two.typed, '2 test');
  for (const typed of [undefined, '', 'node02', true]) {
    await assert.rejects(calls.ask('act', { action, nodes: ['node01'], typed }), {
      kind: 'invalid-argument',
    });
  }
  assert.deepEqual(calls.actions, []);
});

test('check reports where a text is wrong, and accepts the text that is shown', async () => {
  using calls = new Calls(false);
  const shown = await calls.shown();
  assert.doesNotMatch(shown, secret);
  const check = (text: string) => calls.ask<CheckAnswer>('check', { node: 'node01', text });
  const wrong = shown.replace('hostname: first', 'hostnam: first').replace('type: worker', 'typ: worker');
  const lineOf = (word: string) => wrong.split('\n').findIndex((each) => each.trim().startsWith(word)) + 1;
  const [typ, hostnam] = [lineOf('typ:'), lineOf('hostnam:')];
  assert.deepEqual((await check(wrong)).errors, [
    { message: `line ${typ}: "typ" is not a key of machine`, line: typ, column: 5 },
  ]);
  assert.deepEqual((await check(wrong.replace('typ:', 'type:'))).errors, [
    { message: `line ${hostnam}: "hostnam" is not a key of the document`, line: hostnam, column: 1 },
  ]);
  const mark = /<hidden [0-9a-f]{12}>/.exec(shown)?.[0] ?? '';
  const other = await check(shown.replace(mark, '<hidden 000000000000>'));
  assert.match(other.errors[0]?.message ?? '', /write the value itself/);
});

test('difference shows what changes without secrets, and what the node says', async () => {
  using calls = new Calls(false);
  const shown = await calls.shown();
  const ask = (text: string) => calls.ask<DifferenceAnswer>('difference', { node: 'node01', text });
  const answer = await ask(shown.replace('hostname: first', 'hostname: second'));
  assert.equal(answer.before, shown);
  assert.match(answer.after, /hostname: second/);
  assert.equal(answer.details, 'Applied configuration without a reboot (skipped in dry-run).');
  assert.doesNotMatch(JSON.stringify(answer), secret);
  const sent = nodes.sent.at(-1);
  assert.deepEqual([sent?.dryRun, sent?.mode], [true, Mode.TRY]);
  // The node gets its secret back, and its comment.
  assert.match(sent?.text ?? '', /token: aaaaaa\.bbbbbbbbbbbbbbbb # ours/);
  const refused = await ask(shown.replace('hostname: first', 'hostname: bad'));
  assert.match(refused.refusal ?? '', /bad hostname/);
});

test('a text over a configuration that the node has no longer is not sent', async () => {
  using calls = new Calls(true);
  const text = (await calls.shown()).replace(/hostname: \w+/, 'hostname: third');
  const sentBefore = nodes.sent.length;
  for (const over of ['', '0'.repeat(64)]) {
    await assert.rejects(calls.ask('try', { node: 'node01', text, over, seconds: 60 }), {
      kind: 'failed-precondition',
      message: 'the configuration of node01 has changed meanwhile: nothing was sent',
    });
  }
  assert.deepEqual([nodes.sent.slice(sentBefore), calls.trials], [[], []]);
});

test('a tried configuration is kept, or reverted by the node', async () => {
  using calls = new Calls(true);
  const shown = await calls.configuration();
  const text = shown.text.replace(/hostname: \w+/, 'hostname: third');
  await calls.ask('try', { node: 'node01', text, over: shown.version, seconds: 60 });
  const [tried] = calls.trials.at(-1) ?? [];
  assert.deepEqual([tried?.node, tried?.state, tried?.leftMs], ['node01', 'tried', 60_000]);
  const { mode, seconds, dryRun } = nodes.sent.at(-1) ?? {};
  assert.deepEqual({ mode, seconds, dryRun }, { mode: Mode.TRY, seconds: 60, dryRun: false });

  await calls.ask('keep', { node: 'node01' });
  assert.equal(calls.trials.at(-1)?.[0]?.state, 'kept');
  const kept = nodes.sent.at(-1);
  assert.deepEqual([kept?.mode, kept?.text.includes('hostname: third')], [Mode.NO_REBOOT, true]);
  await assert.rejects(calls.ask('keep', { node: 'node01' }), { kind: 'invalid-argument' });
  await calls.ask('forget', { node: 'node01' });
  assert.deepEqual(calls.trials.at(-1), []);
});

test('a started action is followed on each node to its end', async () => {
  using calls = new Calls(true);
  const action = { kind: 'service', verb: 'restart', id: 'etcd' };
  await calls.ask('act', { action, nodes: ['node01', 'node02'] });
  const isOver = () => calls.actions.at(-1)?.[0]?.nodes.every(({ state }) => state !== 'running') ?? false;
  await calls.until(isOver);
  const [done] = calls.actions.at(-1) ?? [];
  assert.equal(done?.name, 'service etcd restart');
  assert.deepEqual(
    done?.nodes.map(({ node }) => node),
    ['node01', 'node02'],
  );
  const first = calls.actions[0]?.[0];
  assert.deepEqual(new Set(first?.nodes.map(({ state }) => state)), new Set(['running']));
});
