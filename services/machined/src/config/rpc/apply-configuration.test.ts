import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { ApplyConfigurationRequest_Mode as Mode } from '@nodewright/contract/gen/machine/machine.ts';
import { Fault } from '@nodewright/fault';
import { machineConfigs } from '@nodewright/state/kinds';
import { ClientError } from 'nice-grpc';
import type { DecodedConfiguration } from '../../base/domain/machine-configuration.ts';
import { worlds } from '../../base/domain/world.ts';
import { type ConfigNode, openConfigNode } from '../controllers/testing/open-config-node.ts';

const partial = 'apiVersion: v1alpha1\nkind: HostnameConfig\nhostname: a\n';
const first = '# first\nmachine:\n  type: worker\n';
const second = '# second, as its user wrote it\nmachine:   {type: "worker", token: abc}\n';
const third = '# third\nmachine:\n  type: controlplane\n';

/** Returns a warning for a text with `warn me`, and refuses a text with `refuse me`. */
function validate({ text }: DecodedConfiguration): string[] {
  if (text.includes('refuse me')) throw new Fault('invalid-argument', '1 error occurred:\n\t* refused\n\n');
  return text.includes('warn me') ? ['take care'] : [];
}

interface Surroundings {
  readonly node: ConfigNode;
  readonly path: string;
  readonly folder: string;
  /** Applies a configuration as an administrator and returns the response or the error. */
  apply(data: string | Uint8Array, mode?: number, more?: object): Promise<unknown>;
  /** The configuration resources by id, and the content of the file. */
  look(): Promise<unknown>;
}

async function withNode(
  stored: string | undefined,
  body: (given: Surroundings) => Promise<void>,
): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'apply-'));
  const path = join(folder, 'config.yaml');
  if (stored !== undefined) await writeFile(path, stored);
  try {
    await using node = await openConfigNode({
      folder,
      validate,
    });
    await body({
      node,
      path,
      folder,
      apply: (data, mode = Mode.AUTO, more = {}) => answerOf(node.admin, data, mode, more),
      async look() {
        const configs = await node.state.list(machineConfigs);
        const disk = existsSync(path) ? readFileSync(path, 'utf8') : undefined;
        return { ...Object.fromEntries(configs.map(({ metadata, spec }) => [metadata.id, spec])), disk };
      },
    });
  } finally {
    await rm(folder, { recursive: true });
  }
}

async function answerOf(
  client: ConfigNode['admin'],
  data: string | Uint8Array,
  mode: number,
  more: object = {},
): Promise<unknown> {
  try {
    const { messages } = await client.applyConfiguration({
      data: Buffer.from(data),
      mode: mode as Mode,
      ...more,
    });
    return messages.map(({ mode, modeDetails, warnings }) => ({ mode, modeDetails, warnings }));
  } catch (error) {
    if (error instanceof ClientError) return `${error.code} ${error.details}`;
    throw error;
  }
}

const applied = 'Applied configuration without a reboot';
const staged = 'Staged configuration to be applied after the next reboot';
const tried = (time: string) =>
  `${applied}\nThe config is applied in 'try' mode and will be automatically reverted back in ${time}`;
const reply = (mode: Mode, modeDetails: string, warnings: string[] = []) => [{ mode, modeDetails, warnings }];
const all = (text: string) => ({ v1alpha1: text, persistent: text, disk: text });

for (const name of ['AUTO', 'NO_REBOOT'] as const) {
  test(`ApplyConfiguration in mode ${name} stores a configuration unchanged and makes it active`, () =>
    withNode(first, async ({ apply, look }) => {
      assert.deepEqual(await apply(second, Mode[name]), reply(Mode.NO_REBOOT, applied));
      assert.deepEqual(await look(), all(second));
    }));
}

test('ApplyConfiguration warns of another cluster and of the other machine type, also in a dry run', () =>
  withNode('machine: { type: controlplane }\ncluster: { id: a }\n', async ({ apply, look }) => {
    const before = await look();
    const foreign = 'machine: { type: worker }\ncluster: { id: b, clusterName: beta }\n';
    const warnings = [
      'this configuration is of another cluster "beta" than the active one',
      'this configuration is for a worker, and the active one for a control plane',
    ];
    const [dry] = (await apply(foreign, Mode.AUTO, { dryRun: true })) as [{ warnings: string[] }];
    assert.deepEqual(dry.warnings, warnings);
    assert.deepEqual(await look(), before);
    assert.deepEqual(await apply(foreign), reply(Mode.NO_REBOOT, applied, warnings));
    assert.deepEqual(
      await apply(foreign, Mode.AUTO, { dryRun: true }).then(
        (replies) => (replies as (typeof dry)[])[0]?.warnings,
      ),
      [],
    );
  }));

test('ApplyConfiguration in mode STAGED only stores the configuration', () =>
  withNode(first, async ({ apply, look }) => {
    assert.deepEqual(await apply(second, Mode.STAGED), reply(Mode.STAGED, staged));
    assert.deepEqual(
      await apply(second, Mode.STAGED),
      reply(Mode.STAGED, 'No changes: this configuration is staged already'),
    );
    assert.deepEqual(await look(), { v1alpha1: first, persistent: second, disk: second });
  }));

test('a restarted node uses the staged configuration, not the tried one', () =>
  withNode(first, async ({ apply, folder }) => {
    await apply(second, Mode.STAGED);
    await apply(third, Mode.TRY);
    await using node = await openConfigNode({ folder: await copyOf(folder), validate });
    assert.equal(node.keeper.active()?.text, second);
  }));

async function copyOf(folder: string): Promise<string> {
  const copy = join(folder, 'restarted');
  await mkdir(copy);
  await writeFile(join(copy, 'config.yaml'), readFileSync(join(folder, 'config.yaml')));
  return copy;
}

test('ApplyConfiguration in mode TRY reverts to the previous configuration after a minute', () =>
  withNode(first, async ({ node, apply, look }) => {
    assert.deepEqual(await apply(second, Mode.TRY), reply(Mode.TRY, tried('1m0s')));
    assert.deepEqual(await look(), { ...all(first), v1alpha1: second });
    await node.advance(59_999);
    assert.deepEqual(await look(), { ...all(first), v1alpha1: second });
    await node.advance(1);
    assert.deepEqual(await look(), all(first));
  }));

test('ApplyConfiguration in mode TRY uses the requested timeout, and a second trial reverts to the same one', () =>
  withNode(first, async ({ node, apply, look }) => {
    const tryModeTimeout = { seconds: 5n, nanos: 500_000_000 };
    assert.deepEqual(await apply(second, Mode.TRY, { tryModeTimeout }), reply(Mode.TRY, tried('5.5s')));
    await node.advance(5_000);
    await apply(third, Mode.TRY, { tryModeTimeout });
    await node.advance(5_000);
    assert.deepEqual(await look(), { ...all(first), v1alpha1: third });
    await node.advance(500);
    assert.deepEqual(await look(), all(first));
  }));

test('ApplyConfiguration in mode TRY accepts a partial configuration in maintenance and later removes it', () =>
  withNode(undefined, async ({ node, apply, look }) => {
    const before = await look();
    assert.deepEqual(await apply(partial, Mode.TRY), reply(Mode.TRY, tried('1m0s')));
    assert.deepEqual(await look(), { ...Object(before), v1alpha1: partial });
    await node.advance(60_000);
    assert.deepEqual(await look(), before);
    assert.match(String(await apply(first, Mode.TRY)), /^9 .* use NO_REBOOT$/);
    await apply(partial, Mode.TRY);
    await apply(first);
    await node.advance(60_000);
    assert.deepEqual(await look(), all(first));
  }));

test('ApplyConfiguration in mode TRY can last for months', () =>
  withNode(first, async ({ node, apply, look }) => {
    const days = 86_400_000;
    await apply(second, Mode.TRY, { tryModeTimeout: { seconds: 100n * 86_400n, nanos: 0 } });
    await node.advance(99 * days);
    assert.deepEqual(await look(), { ...all(first), v1alpha1: second });
    await node.advance(days);
    assert.deepEqual(await look(), all(first));
  }));

const keepers: readonly [string, string, number, object, unknown][] = [
  ['applying the same text', second, Mode.AUTO, {}, all(second)],
  ['staging another text', third, Mode.STAGED, {}, { v1alpha1: second, persistent: third, disk: third }],
];
for (const [says, text, mode, more, outcome] of keepers) {
  test(`a tried configuration stays active after another call: ${says}`, () =>
    withNode(first, async ({ node, apply, look }) => {
      await apply(second, Mode.TRY);
      await apply(text, mode, more);
      await node.advance(120_000);
      assert.deepEqual(await look(), outcome);
    }));
}

test('a configuration that is staged already does not end a running trial', () =>
  withNode(first, async ({ node, apply, look }) => {
    await apply(third, Mode.STAGED);
    await apply(second, Mode.TRY);
    await apply(third, Mode.STAGED);
    await node.advance(60_000);
    assert.deepEqual(await look(), { v1alpha1: first, persistent: third, disk: third });
  }));

const changesNothing: readonly [string, string, number, object][] = [
  ['a dry run of a trial', third, Mode.TRY, { dryRun: true }],
  ['a dry run', third, Mode.AUTO, { dryRun: true }],
  ['a refused text', 'refuse me', Mode.AUTO, {}],
  ['a text that is no configuration', ': :', Mode.NO_REBOOT, {}],
];
for (const [says, text, mode, more] of changesNothing) {
  test(`a call that changes nothing does not end a running trial: ${says}`, () =>
    withNode(first, async ({ node, apply, look }) => {
      await apply(second, Mode.TRY);
      await node.advance(30_000);
      await apply(text, mode, more);
      await node.advance(29_999);
      assert.deepEqual(await look(), { ...all(first), v1alpha1: second });
      await node.advance(1);
      assert.deepEqual(await look(), all(first));
    }));
}

test('a configuration that cannot be stored does not end a running trial', () =>
  withNode(first, async ({ node, path, apply, look }) => {
    await apply(second, Mode.TRY);
    await rm(path);
    await mkdir(path);
    assert.match(String(await apply(third)), /^\d+ /);
    await node.advance(60_000);
    await rm(path, { recursive: true });
    assert.deepEqual(await look(), { ...all(first), disk: undefined });
  }));

test('a dry run returns the steps and the difference, and changes nothing', () =>
  withNode(first, async ({ apply, look }) => {
    const dryRun = (details: string, diff: string) =>
      `Dry run summary:\n${details} (skipped in dry-run).\nConfig diff:\n\n${diff}`;
    const warned = `# warn me\n${second}`;
    const diff = [
      ...['--- a', '+++ b', '@@ -1,6 +1,6 @@', ' version: ""', ' machine:', '     type: worker'],
      ...['-    token: ""', '+    token: abc', '     certSANs: []', ' cluster: null', ''],
    ].join('\n');
    assert.deepEqual(
      [
        await apply(warned, Mode.AUTO, { dryRun: true }),
        await apply(first, Mode.STAGED, { dryRun: true }),
        await apply(second, Mode.TRY, { dryRun: true }),
      ],
      [
        reply(Mode.NO_REBOOT, dryRun(applied, diff), ['take care']),
        reply(Mode.STAGED, dryRun(staged, 'No changes.')),
        reply(Mode.TRY, dryRun(tried('1m0s'), diff)),
      ],
    );
    assert.deepEqual(await look(), all(first));
  }));

test('ApplyConfiguration returns warnings in its response', () =>
  withNode(first, async ({ apply }) => {
    assert.deepEqual(await apply(`# warn me\n${second}`), reply(Mode.NO_REBOOT, applied, ['take care']));
  }));

const withFirewall = `${second}---
apiVersion: v1alpha1
kind: NetworkDefaultActionConfig
ingress: block
---
apiVersion: v1alpha1
kind: VolumeConfig
name: EPHEMERAL
encryption: {provider: luks2, keys: [{slot: 0, nodeID: {}}]}
---
apiVersion: v1alpha1
kind: ResolverConfig
hostDNS: {enabled: true}
`;

test('ApplyConfiguration warns about what no part of the node acts on, also in a dry run', () =>
  withNode(first, async ({ apply, look }) => {
    const warnings = [
      'NetworkDefaultActionConfig: this node does not act on this document',
      'VolumeConfig "EPHEMERAL": this node does not act on this document',
      'of the documents and fields that gen config writes, this node does not act on ResolverConfig',
    ];
    const [dry] = (await apply(withFirewall, Mode.AUTO, { dryRun: true })) as { warnings: string[] }[];
    assert.deepEqual(dry?.warnings, warnings);
    assert.deepEqual(await look(), all(first));
    assert.deepEqual(await apply(withFirewall), reply(Mode.NO_REBOOT, applied, warnings));
    assert.deepEqual(await look(), all(withFirewall));
  }));

test('a machine warns that it asks no time server when all need NTS or are clock devices', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'apply-'));
  try {
    await writeFile(join(folder, 'config.yaml'), first);
    await using node = await openConfigNode({ folder, validate, world: worlds.machine });
    const warningsOf = async (body: string) => {
      const text = `${second}---\napiVersion: v1alpha1\nkind: TimeSyncConfig\n${body}\n`;
      const [dry] = (await answerOf(node.admin, text, Mode.AUTO, { dryRun: true })) as {
        warnings: string[];
      }[];
      return dry?.warnings.filter((warning) => warning.includes('no time server is asked')) ?? [];
    };
    const unasked = /^NTS and clock .* the clock counts as not synchronised: etcd and the kubelet wait/;
    for (const body of ['ntp: {servers: [a.example], useNTS: true}', 'ptp: {devices: [/dev/ptp0]}'])
      assert.match((await warningsOf(body)).join('\n'), unasked, body);
    assert.match(
      (await warningsOf('bootTimeout: 1m\nptp: {devices: [/dev/ptp0]}')).join('\n'),
      /not synchronised until bootTimeout has passed/,
    );
    for (const body of [
      'ntp: {servers: [a.example]}',
      'enabled: false\nntp: {servers: [a.example], useNTS: true}',
    ])
      assert.deepEqual(await warningsOf(body), [], body);
  } finally {
    await rm(folder, { recursive: true });
  }
});

test('a machine refuses protections that nothing provides, and boots with them when they are stored', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'apply-'));
  try {
    await writeFile(join(folder, 'config.yaml'), withFirewall);
    await using node = await openConfigNode({ folder, validate, world: worlds.machine });
    assert.equal(node.keeper.active()?.text, withFirewall);
    for (const more of [{}, { dryRun: true }])
      assert.match(
        String(await answerOf(node.admin, `${withFirewall}# again`, Mode.AUTO, more)),
        /^3 .*nothing acts on\n\t\* NetworkDefaultActionConfig ingress\n\t\* VolumeConfig "EPHEMERAL" encryption\n$/s,
      );
    assert.equal(node.keeper.active()?.text, withFirewall);
  } finally {
    await rm(folder, { recursive: true });
  }
});

const refusals: readonly [string, string | Uint8Array, number, object, RegExp][] = [
  ['a text that is not a configuration', 'machine: [', Mode.AUTO, {}, /^3 /],
  ['an unknown key', 'machine:\n  typ: worker\n', Mode.AUTO, {}, /^3 .*line 2/s],
  ['an empty text', '', Mode.AUTO, {}, /^3 .*config not found/],
  ['bytes that are not UTF-8', new Uint8Array([0xc3, 0x28]), Mode.AUTO, {}, /^3 .*not valid UTF-8 text/],
  [
    'a partial configuration',
    partial,
    Mode.AUTO,
    {},
    /^3 .*the applied machine configuration doesn't contain v1alpha1 config, did you mean to patch the machine config instead\?$/,
  ],
  [
    'mode REBOOT',
    second,
    Mode.REBOOT,
    {},
    /^12 .*the REBOOT mode is not supported, please use AUTO or NO_REBOOT modes instead$/,
  ],
  [
    'an invalid configuration',
    `# refuse me\n${second}`,
    Mode.AUTO,
    {},
    /^3 .*1 error occurred:\n\t\* refused\n\n$/s,
  ],
  ['an invalid configuration before an unknown mode', `# refuse me\n${second}`, 9, {}, /^3 .*refused/s],
  ['an unknown mode', second, 9, {}, /^3 .*incorrect mode '9' specified for the apply config call$/],
  [
    'a negative try timeout',
    second,
    Mode.TRY,
    { tryModeTimeout: { seconds: -1n, nanos: 0 } },
    /^3 .*must be positive, not -1s$/,
  ],
];
for (const [says, data, mode, more, message] of refusals) {
  test(`ApplyConfiguration refuses ${says}, and nothing changes`, () =>
    withNode(first, async ({ apply, look }) => {
      assert.match(String(await apply(data, mode, more)), message);
      assert.match(String(await apply(data, mode, { ...more, dryRun: true })), message);
      assert.deepEqual(await look(), all(first));
    }));
}

test('ApplyConfiguration requires the administrator role once the node has a configuration', () =>
  withNode(first, async ({ node, look }) => {
    assert.match(String(await answerOf(node.reader, second, Mode.AUTO)), /^7 .*not authorized$/);
    assert.deepEqual(await look(), all(first));
  }));

test('any client may apply partial configurations in maintenance, and a v1alpha1 document ends it', () =>
  withNode(undefined, async ({ node, look }) => {
    assert.deepEqual(await answerOf(node.reader, partial, Mode.REBOOT), reply(Mode.NO_REBOOT, applied));
    assert.deepEqual([await look(), node.keeper.isMaintenance()], [all(partial), true]);
    assert.deepEqual(await answerOf(node.reader, first, Mode.REBOOT), reply(Mode.NO_REBOOT, applied));
    await node.acquired;
    assert.deepEqual([await look(), node.keeper.isMaintenance()], [all(first), false]);
    assert.match(String(await answerOf(node.reader, second, Mode.AUTO)), /^7 .*not authorized$/);
  }));

test('an unauthorized client in maintenance sees no secrets and cannot try a complete configuration', () =>
  withNode(partial, async ({ node, look }) => {
    const token = `${first}  token: secret\n`;
    const shown = async (client: ConfigNode['admin']) =>
      /token: (\w+)/.exec(JSON.stringify(await answerOf(client, token, Mode.AUTO, { dryRun: true })))?.[1];
    assert.deepEqual([await shown(node.reader), await shown(node.admin)], ['REDACTED', 'secret']);
    assert.match(String(await answerOf(node.reader, first, Mode.TRY)), /^9 .*none: use NO_REBOOT$/);
    assert.deepEqual(await look(), all(partial));
  }));

test('ApplyConfiguration runs one call at a time', () =>
  withNode(first, async ({ node, apply, look }) => {
    const claim = node.keeper.claim();
    assert.match(String(await apply(second)), /^9 .*another apply configuration is already in progress$/);
    claim?.[Symbol.dispose]();
    assert.deepEqual(await apply(second), reply(Mode.NO_REBOOT, applied));
    assert.deepEqual(await look(), all(second));
  }));

test('a configuration that is held is held when the running change is done, and no other one is taken then', () =>
  withNode(first, async ({ node, apply, look }) => {
    const claim = node.keeper.claim();
    const { signal } = new AbortController();
    let held: Disposable | undefined;
    const holding = node.keeper.hold('restart the machine first', signal).then((got) => {
      held = got;
    });
    await new Promise(setImmediate);
    assert.deepEqual([held, node.keeper.heldFor()], [undefined, undefined]);
    claim?.[Symbol.dispose]();
    await holding;
    assert.match(String(await apply(second)), /^9 restart the machine first$/);
    assert.match(String(await apply(second, Mode.STAGED)), /^9 restart the machine first$/);
    const meta = { key: 10, value: Buffer.from('a') };
    await assert.rejects(node.admin.metaWrite(meta), { code: 9, details: 'restart the machine first' });
    await assert.rejects(node.admin.metaDelete(meta), { code: 9, details: 'restart the machine first' });
    assert.deepEqual(await look(), all(first));
    held?.[Symbol.dispose]();
    assert.deepEqual(await apply(second), reply(Mode.NO_REBOOT, applied));
    const stop = new AbortController();
    const running = node.keeper.claim();
    const given = assert.rejects(node.keeper.hold('never', stop.signal), { kind: 'cancelled' });
    stop.abort();
    await given;
    running?.[Symbol.dispose]();
  }));

test('ApplyConfiguration fails when the write to disk fails, and keeps the active configuration', () =>
  withNode(first, async ({ node, apply, path, look }) => {
    await mkdir(join(`${path}-tmp`, 'in the way'), { recursive: true });
    const answer = String(await apply(second));
    assert.match(answer, /the configuration is not applied: cannot write ".*config\.yaml": /);
    assert.deepEqual(await look(), all(first));
    // The back-off of the controller after its failure.
    await node.advance(500);
    assert.match(String(await apply(second, Mode.STAGED)), /is not applied/);
    assert.deepEqual(await look(), all(first));
  }));
