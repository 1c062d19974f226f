// Machine configurations at and above the size limits: a node refuses or accepts them, and answers other
// calls meanwhile.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { MachineServiceDefinition } from '@nodewright/contract/gen/machine/machine.ts';
import { faultFrom } from '@nodewright/fault';
import { configurationLimits } from '@nodewright/machine-config';
import { longestStopMs as longestStop, peakMemoryKb } from './harness/event-loop-load.ts';
import { startNode } from './harness/node-under-test.ts';

/**
 * Processor time of the event loop between two answers. The promise is 100 ms, and a loaded machine needs
 * reserve.
 */
const longestStopMs = 250;
/** While 30 MB arrive the loop turns often, but the polling process is busy sending them. */
const longestStopWhileSendingMs = 4 * longestStopMs;
/** Limit of the additional memory of the process. Without limits on configurations it was 1.3 GB. */
const mostMemoryKb = 500 * 1024;

// In maintenance, where clients without a certificate may send one.
const node = await startNode({ configuration: 'none' });
after(() => node[Symbol.asyncDispose]());
const machine = node.client(MachineServiceDefinition, 'os:admin');
const { pid } = node.machined;

/**
 * The node's answer to a configuration, and how long its event loop worked between two answers to another
 * caller.
 */
async function send(text: string, dryRun = false): Promise<{ said: string; stopMs: number }> {
  let isDone = false;
  const data = Buffer.from(text);
  const answer = machine.applyConfiguration({ data, dryRun, mode: 1 }).then(
    ({ messages }) => messages[0]?.modeDetails ?? '',
    (error) => faultFrom(error).message,
  );
  void answer.finally(() => {
    isDone = true;
  });
  const stopMs = await longestStop(
    pid,
    () => machine.version({}),
    () => isDone,
  );
  return { said: await answer, stopMs };
}

const { sizeBytes, documents, nodes, aliases, words } = configurationLimits;
const manifest = (lines: number) =>
  `machine: { type: worker }\ncluster:\n  inlineManifests:\n    - name: a\n      contents: |\n${'        - name: a line of a manifest\n'.repeat(lines)}`;
const sysctls = (count: number) =>
  `machine:\n  type: worker\n  sysctls:\n${Array.from({ length: count }, (_, at) => `    net.a${at}: "1"\n`).join('')}`;
const hosts = (count: number) =>
  Array.from(
    { length: count },
    (_, at) =>
      `apiVersion: v1alpha1\nkind: StaticHostConfig\nname: 10.0.${at >> 8}.${at & 255}\nhostnames: [a${at}]\n`,
  ).join('---\n');

const attacks: readonly {
  readonly what: string;
  readonly text: string;
  readonly said: RegExp;
  readonly mostMs?: number;
}[] = [
  {
    what: '30 MB',
    text: manifest(850_000),
    said: /has \d+ bytes, more than the limit of 8388608/,
    mostMs: longestStopWhileSendingMs,
  },
  { what: '50,000 documents', text: 'a: b\n---\n'.repeat(50_000), said: /more than 1,000 documents/ },
  {
    what: '50,000 aliases',
    text: `machine: { certSANs: [&a b, ${'*a,'.repeat(50_000)}] }`,
    said: /more than 1,000 aliases/,
  },
  { what: 'values', text: sysctls(nodes), said: /more than 30,000 keys and values/ },
  { what: 'empty lines', text: `a: b${'\n'.repeat(sizeBytes - 10)}`, said: /more than 200,000 words/ },
  { what: 'depth', text: `machine: ${'['.repeat(100_000)}`, said: /nested more than 200 levels/ },
  { what: 'aliases of aliases', text: aliasesOfAliases(), said: /aliases repeat more than 30,000/ },
];

/** Just below a limit: read completely, and refused because of missing fields. */
const largest: readonly { readonly what: string; readonly text: string }[] = [
  { what: 'manifests', text: manifest(Math.floor(sizeBytes / 38)) },
  { what: 'values', text: sysctls(nodes / 2 - 10) },
  { what: 'documents', text: hosts(documents - 1) },
  { what: 'aliases', text: `machine: { certSANs: [&a b, ${'*a,'.repeat(aliases - 1)}] }` },
  { what: 'empty lines', text: `machine: { type: worker }${'\n'.repeat(words - 50)}` },
];

function aliasesOfAliases(): string {
  const lines = Array.from({ length: 40 }, (_, at) => `l${at + 1}: &l${at + 1} [*l${at}, *l${at}]\n`);
  return `l0: &l0 [a]\n${lines.join('')}`;
}

for (const { what, text, said, mostMs = longestStopMs } of attacks) {
  test(`a configuration with too much of ${what} is refused while other calls are answered`, async (context) => {
    const outcome = await send(text);
    context.diagnostic(`longest stop ${outcome.stopMs} ms`);
    assert.match(outcome.said, said);
    assert.equal(outcome.stopMs <= mostMs, true, `stopped for ${outcome.stopMs} ms`);
  });
}

for (const { what, text } of largest) {
  test(`a configuration with as many ${what} as allowed is read while other calls are answered`, async (context) => {
    const outcome = await send(text, true);
    context.diagnostic(`longest stop ${outcome.stopMs} ms`);
    assert.match(outcome.said, /^(?:Dry run summary|\d+ errors? occurred)/);
    assert.equal(
      outcome.stopMs <= longestStopMs,
      true,
      `stopped for ${outcome.stopMs} ms: ${outcome.said.slice(0, 200)}`,
    );
  });
}

test('the memory for reading them stays limited', (context) => {
  context.diagnostic(`${Math.round(peakMemoryKb(pid) / 1024)} MB at most`);
  assert.equal(peakMemoryKb(pid) < mostMemoryKb, true, `${Math.round(peakMemoryKb(pid) / 1024)} MB`);
});
