// talosctl apply-config: what it sends, and what it reports of each node.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { issueCertificate, parseCertificate } from '@nodewright/pki';
import { FakeGateway } from './fake-gateway.ts';
import { FakeNodes, sampleConfig } from './fake-nodes.ts';
import { openSuite } from './suite.ts';

const nodes = await FakeNodes.open();
const suite = openSuite(nodes.handlers);

function file(name: string, text: string | Uint8Array): string {
  const path = join(suite.cluster.folder, name);
  writeFileSync(path, text);
  return path;
}

/** Runs it, and also returns what it has sent. */
async function run(...words: string[]) {
  nodes.sent.length = 0;
  const result = await suite.run(...words);
  return { ...result, sent: [...nodes.sent] };
}

const one = ['-n', 'node01'];

test("apply-config sends the bytes of the file and prints the node's answer on stderr", async () => {
  const path = file('plain.yaml', sampleConfig);
  assert.deepEqual(await run(...one, 'apply-config', '-f', path), {
    stdout: '',
    stderr: 'Applied configuration without a reboot\n',
    exitCode: 0,
    sent: [{ node: 'node01', text: sampleConfig, mode: 1, dryRun: false, seconds: 60 }],
  });
  const again = await run(...one, 'apply', 'machineconfig', '-f', path, '-m', 'staged');
  assert.deepEqual(
    again.sent.map(({ mode }) => mode),
    [3],
  );
});

test('apply-config labels output with node names when there are several, and a refusal by one does not affect the others', async () => {
  const path = file('odd.yaml', sampleConfig.replace('first', 'odd'));
  const { stderr, exitCode } = await run('apply', '-f', path);
  assert.equal(exitCode, 0);
  assert.deepEqual(stderr.trimEnd().split('\n').sort(), [
    'node01: Applied configuration without a reboot',
    'node01: WARNING: odd hostname',
    'node02: Applied configuration without a reboot',
    'node02: WARNING: odd hostname',
  ]);
  const bad = await run(...one, 'apply', '-f', file('bad.yaml', sampleConfig.replace('first', 'bad')));
  assert.deepEqual(
    [bad.exitCode, bad.stderr],
    [
      1,
      'node01: error applying configuration: rpc error: code = InvalidArgument desc = HostnameConfig: bad hostname\n    second line\n',
    ],
  );
});

test('apply-config -m try prints when the node reverts it', async () => {
  const path = file('try.yaml', sampleConfig);
  const { stderr, sent } = await run(...one, 'apply', '-f', path, '-m', 'try', '--timeout', '1m30s');
  assert.deepEqual(
    sent.map(({ mode, seconds }) => ({ mode, seconds })),
    [{ mode: 4, seconds: 90 }],
  );
  assert.match(
    stderr,
    /^Applied configuration without a reboot\nthe node reverts it in 1m30s, at \d\d:\d\d:\d\d, unless a configuration is applied in another mode before\n$/,
  );
});

test("apply-config --dry-run prints the node's diff", async () => {
  const { stderr, sent } = await run(...one, 'apply', '-f', file('dry.yaml', sampleConfig), '--dry-run');
  assert.deepEqual(
    sent.map(({ dryRun }) => dryRun),
    [true],
  );
  assert.match(stderr, /^Dry run summary:\n[\s\S]*\n-hostname: first\n\+hostname: second\n$/);
});

test('apply-config -p applies patches in their order before it sends', async () => {
  const patch = file('patch.yaml', 'apiVersion: v1alpha1\nkind: HostnameConfig\nhostname: second\n');
  const words = ['apply', '-f', file('base.yaml', sampleConfig), '-p', `@${patch}`];
  const { sent } = await run(...one, ...words, '-p', '{"machine":{"certSANs":["a.example","b.example"]}}');
  assert.match(sent[0]?.text ?? '', /certSANs:\n +- a\.example\n +- b\.example\n[\s\S]*hostname: second\n/);
  const json = file('one.yaml', 'machine:\n    type: worker\n');
  const patched = await run(
    ...one,
    'apply',
    '-f',
    json,
    '-p',
    '[{"op":"add","path":"/machine/token","value":"x"}]',
  );
  assert.match(patched.sent[0]?.text ?? '', /token: x\n/);
});

test('apply-config warns of a document that does not decode, with its position, and sends it anyway', async () => {
  const path = file('unknown.yaml', 'machine:\n    type: worker\n    colour: red\n');
  const { stderr, exitCode, sent } = await run(...one, 'apply', '-f', path);
  assert.deepEqual([exitCode, sent.length], [0, 1]);
  assert.match(stderr, /^WARNING: this program cannot decode ".*unknown\.yaml": [\s\S]*line 3[\s\S]*colour/);
});

test('apply-config refuses an impossible configuration before it sends anything', async () => {
  const rows: [string, RegExp][] = [
    [join(suite.cluster.folder, 'missing'), /^error: cannot read ".*missing": no such file or directory\n$/],
    [suite.cluster.folder, /^error: cannot read ".*": it is a folder\n$/],
    [file('empty', '# nothing\n---\n'), /^error: ".*empty" is empty: it contains no document\n$/],
    [file('binary', Buffer.from([0xff, 0xfe, 0x00])), /^error: ".*binary" is not text: /],
    [suite.talosconfig, /^error: ".*" is a talosconfig, not a machine configuration\n$/],
    [
      file('huge', Buffer.alloc(33 * 1024 * 1024, 97)),
      /^error: cannot read ".*huge": it is larger than the 32 MiB /,
    ],
  ];
  for (const [path, expected] of rows) {
    const { stderr, exitCode, sent } = await run(...one, 'apply', '-f', path);
    assert.match(stderr, expected);
    assert.deepEqual({ exitCode, sent }, { exitCode: 1, sent: [] });
  }
});

test('apply-config explains unsupported flags', async () => {
  const path = file('flags.yaml', sampleConfig);
  const rows: [string[], RegExp][] = [
    [[], /option --file is missing/],
    [['-f', path, '-m', 'reboot'], /Talos has removed this mode/],
    [['-f', path, '-m', 'now'], /option --mode must be one of auto, no-reboot, staged, try, not "now"/],
    [['-f', path, '--timeout', '0s'], /option --timeout must be more than 0/],
    [
      ['-f', path, '-p', 'nope.yaml'],
      /cannot read "nope\.yaml": no such file or directory \(a patch without a space/,
    ],
    [['-f', path, '-p', '[{"op":"remove","path":"/machine"}]'], /write the patch as YAML to merge/],
    [['-f', path, '-p', '{"machine": {"colour": 1}}'], /patch 1 of --config-patch: [\s\S]*colour/],
  ];
  for (const [words, expected] of rows) {
    const { stderr, exitCode, sent } = await run(...one, 'apply-config', ...words);
    assert.match(stderr, expected);
    assert.deepEqual({ exitCode, sent }, { exitCode: 1, sent: [] });
  }
});

test('apply-config -o json lists the result of each node', async () => {
  const path = file('json.yaml', sampleConfig);
  const { stdout, stderr } = await run('-n', 'node02,node01', 'apply', '-f', path, '-o', 'json');
  const entry = (node: string) => ({
    ...{ node, mode: 'no-reboot', modeDetails: 'Applied configuration without a reboot' },
    ...{ warnings: [], dryRun: false },
  });
  assert.deepEqual(JSON.parse(stdout), [entry('node02'), entry('node01')]);
  assert.equal(stderr, '');
  const bad = await run(...one, 'apply', '-f', file('j.yaml', 'hostname: bad\n'), '-o', 'json');
  const [{ error }] = JSON.parse(bad.stdout);
  assert.deepEqual([error.code, bad.exitCode], ['InvalidArgument', 1]);
});

test('apply-config -i sends to a node in maintenance, whose key fingerprint can be required', async () => {
  const identity = await issueCertificate({
    ...{ issuer: suite.cluster.ca, subject: {}, dnsNames: ['maintenance'], keyUsage: ['digitalSignature'] },
    ...{ extendedKeyUsage: ['serverAuth'], notBefore: new Date(Date.now() - 1000), lifetimeHours: 1 },
  });
  await using node = await FakeGateway.listen({ identity, handlers: nodes.handlers });
  const words = ['apply', '-i', '-n', node.address, '-f', file('new.yaml', sampleConfig)];
  const { stderr, exitCode, sent } = await run(...words);
  assert.deepEqual({ stderr, exitCode }, { stderr: 'Applied configuration without a reboot\n', exitCode: 0 });
  assert.deepEqual(
    sent.map((config) => config.node),
    [undefined],
  );
  const { publicKeyFingerprint } = parseCertificate(identity.certificate);
  assert.equal((await run(...words, '--cert-fingerprint', publicKeyFingerprint)).exitCode, 0);
  const wrong = await run(...words, '--cert-fingerprint', Buffer.alloc(32).toString('base64'));
  assert.match(wrong.stderr, /which is not among those allowed\n$/);
  assert.deepEqual(wrong.sent, []);
});

test('apply-config explains how to reach a node that has no configuration yet', async () => {
  const stranger =
    'no route to node "node01": its certificate is not issued by one of this cluster\'s authorities';
  await using gateway = await suite.cluster.gateway({
    '/machine.MachineService/ApplyConfiguration': (call) => call.fail(14, stranger),
  });
  const path = file('late.yaml', sampleConfig);
  const { stderr, exitCode } = await run(...one, '-e', gateway.address, 'apply', '-f', path);
  assert.equal(exitCode, 1);
  assert.equal(
    stderr,
    `node01: error applying configuration: rpc error: code = Unavailable desc = ${stranger}\nif node01 has no configuration yet, send it with --insecure and the node's address in --nodes\n`,
  );
});
