// What a page of `talosctl ui` gets when it converts the text in its editor, and what a node is sent of that.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, before, beforeEach, test } from 'node:test';
import { openTalosClient, type TalosClient } from '@nodewright/client';
import { parseTalosconfig } from '@nodewright/client/talosconfig';
import {
  ApplyConfigurationRequest,
  ApplyConfigurationResponse,
} from '@nodewright/contract/gen/machine/machine.ts';
import { FakeTimers } from '@nodewright/controllers/testing';
import {
  applyPatches,
  compareEffective,
  convertConfigurationText,
  encodeKeepingComments,
  loadConfiguration,
  mapSecrets,
  parsePatch,
} from '@nodewright/machine-config';
import { pointerTo } from '@nodewright/state';
import { machineConfigs, yamlSpecAnnotation } from '@nodewright/state/kinds';
import { PageCalls } from '../../../cli/talosctl/src/ui/act/page-calls.ts';
import type {
  CheckAnswer,
  ConversionAnswer,
  DifferenceAnswer,
} from '../../../cli/talosctl/src/ui/protocol/calls.ts';
import { generated } from '../config/conversion-corpus.ts';
import { FakeCluster } from './fake-cluster.ts';
import { healthyCluster, reply } from './replies.ts';
import { openNodeStore, stateHandlers } from './state-replies.ts';

const patch = `machine:
  sysctls: { vm.swappiness: "1" }
  registries: { config: { r.test: { auth: { username: u, password: of-a-registry } } } }
  env: { https_proxy: "http://u:of-a-proxy@p.test" }
  systemDiskEncryption: { state: { provider: luks2, keys: [{ slot: 0, static: { passphrase: of-a-disk } }] } }
cluster:
  extraManifests: [https://m.test/a.yaml]
  extraManifestHeaders: { Authorization: Bearer of-a-manifest }
  inlineManifests: [{ name: a, contents: "kind: Secret\\ndata: { a: in-a-manifest }" }]
`;
/** The configuration of the node, with comments. */
const original = withComments(generated(13, 'controlplane'));
const secretsOf = (text: string) => {
  const found: string[] = ['of-a-proxy', 'of-a-manifest', 'in-a-manifest'];
  mapSecrets(loadConfiguration(text), (secret) => {
    found.push(...secret.split('\n').filter((line) => line.length > 6 && !line.startsWith('-----')));
    return secret;
  });
  return found;
};

function withComments(text: string): string {
  const plain = loadConfiguration(text);
  const patched = encodeKeepingComments(applyPatches(plain, [parsePatch(patch)]), text);
  return patched.replace('vm.swappiness: "1"', 'vm.swappiness: "1" # ours');
}

const scope = new AsyncDisposableStack();
const sent: string[] = [];
let client: TalosClient;
let calls: PageCalls;

before(async () => {
  const pointer = pointerTo(machineConfigs, 'v1alpha1');
  const store = await openNodeStore(
    [machineConfigs],
    [{ ...pointer, spec: original, annotations: yamlSpecAnnotation } as never],
  );
  const cluster = scope.use(await FakeCluster.create());
  const gateway = await cluster.gateway({
    ...healthyCluster,
    ...stateHandlers([machineConfigs], () => store),
    '/machine.MachineService/ApplyConfiguration': (call) => {
      const { data, mode } = ApplyConfigurationRequest.decode(call.request);
      sent.push(data.toString());
      reply(call, ApplyConfigurationResponse, { messages: [{ mode, modeDetails: '', warnings: [] }] });
    },
  });
  const path = await cluster.talosconfig({ endpoints: [gateway.address], nodes: ['node01'] });
  const config = parseTalosconfig(await readFile(path, 'utf8'));
  client = scope.use(openTalosClient({ context: config.contexts.get('test') }));
});
after(() => scope.disposeAsync());

beforeEach(() => {
  sent.length = 0;
  calls = new PageCalls({
    // A page that may change nothing: a conversion changes nothing.
    ...{ client, nodes: client.targets, allowsActions: false, callerRoles: ['os:admin'], cluster: 'test' },
    ...{ traces: {}, now: () => new Date(), timers: new FakeTimers() },
    ...{ onTrials: () => {}, onActions: () => {} },
  });
});

const ask = <T>(name: string, body: object) => calls.call(name, { node: 'node01', ...body }) as Promise<T>;
const convert = (text: string, to = '1.14') => ask<ConversionAnswer>('convert', { text, to });

/** The text that the page has of the node. */
async function shown(): Promise<string> {
  const [node] = client.targets;
  assert.ok(node !== undefined);
  const { documents } = await calls.configurations.read(node, new AbortController().signal);
  return calls.configurations.shown(documents).text;
}

test('a conversion is shown with its notes and its proof, without secrets, and nothing is sent', async () => {
  const text = await shown();
  const answer = await convert(text);
  assert.equal(answer.before, text);
  assert.match(answer.after, /^kind: KubeAPIServerConfig$/m);
  assert.ok(answer.notes.some((note) => note.startsWith('KubeAPIServerConfig: startupProbes written out: ')));
  assert.doesNotMatch(
    answer.notes.join('\n'),
    /line \d+, column/,
    'positions in a text that the page does not have',
  );
  const { isProven, differences, unproven, equalFiles } = answer.proof;
  assert.ok(isProven && equalFiles > 5 && unproven.length > 0 && differences.length > 0);
  assert.deepEqual(
    differences.filter(({ cause }) => cause === 'unnamed'),
    [],
  );
  const secrets = [...secretsOf(original), ...secretsOf(convertConfigurationText(original).text)];
  assert.ok(secrets.length > 30, `${secrets.length}`);
  const said = JSON.stringify(answer);
  assert.deepEqual(
    secrets.filter((secret) => said.includes(secret)),
    [],
  );
  assert.deepEqual(sent, []);
});

test('the node is sent a converted text with its secrets in their new form, and with its comments', async () => {
  const { after: converted } = await convert(await shown());
  assert.deepEqual((await ask<CheckAnswer>('check', { text: converted })).errors, []);
  const { refusal } = await ask<DifferenceAnswer>('difference', { text: converted });
  assert.equal(refusal, undefined);
  const expected = convertConfigurationText(original, { isStored: true }).text;
  assert.match(expected, /vm\.swappiness: "1" # ours/);
  assert.deepEqual(sent, [expected]);
  const edited = converted.replace('vm.swappiness: "1"', 'vm.swappiness: "2"');
  await ask('difference', { text: edited });
  assert.equal(sent.at(-1), expected.replace('vm.swappiness: "1"', 'vm.swappiness: "2"'));
});

test('a converted text that is converted back is the configuration of the node again', async () => {
  const { after: converted } = await convert(await shown());
  const { after: back, proof } = await convert(converted, '1.13');
  assert.equal(proof.isProven, true);
  await ask('difference', { text: back });
  const [text = ''] = sent;
  assert.deepEqual(compareEffective(loadConfiguration(original), loadConfiguration(text)), []);
});

test('a text that is not valid is not converted, and neither is one to another version', async () => {
  const text = await shown();
  const refusals: readonly (readonly [text: string, to: unknown, message: RegExp])[] = [
    [text, '1.12', /^cannot convert to "1\.12": the versions are 1\.13, 1\.14, 1\.15$/],
    [text, undefined, /^the request does not say what to convert to$/],
    [text, '__proto__', /^cannot convert to "__proto__"/],
    [`typo: 1\n${text}`, '1.14', /line 1, column 1: "typo" is not a key/],
    [
      text.replace('type: controlplane', 'type: nothing'),
      '1.14',
      /^the text has faults, and is not converted: /,
    ],
    [text.replace(/<hidden [0-9a-f]{12}>/, '<hidden 000000000000>'), '1.14', /write the value itself$/],
  ];
  for (const [wrong, to, message] of refusals)
    await assert.rejects(ask('convert', { text: wrong, to }), { kind: 'invalid-argument', message });
});

test('a secret that was typed in is known in its new form, until four more conversions were made', async () => {
  const text = await shown();
  const typed = text.replace(/password: <hidden [0-9a-f]{12}>/, 'password: typed-in');
  const { after: converted } = await convert(typed);
  assert.doesNotMatch(converted, /typed-in/);
  const errorsOf = async () => (await ask<CheckAnswer>('check', { text: converted })).errors;
  for (let more = 0; more < 4; more += 1) {
    assert.deepEqual(await errorsOf(), [], `after ${more} more`);
    await convert(text);
  }
  assert.match((await errorsOf())[0]?.message ?? '', /write the value itself/);
});
