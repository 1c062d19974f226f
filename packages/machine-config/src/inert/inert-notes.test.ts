import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { loadConfiguration } from '../decode/load-configuration.ts';
import { fieldsBeside } from '../docs/reference/testing/sample-choices.ts';
import { assembleDocument } from '../docs/reference/testing/sample-documents.ts';
import { generateConfig } from '../generate/generate-config.ts';
import { minors, sampleInput, types } from '../generate/sample-input.ts';
import { documentKinds } from '../schema/document-schema.ts';
import { fieldPaths } from '../schema/field-paths.ts';
import type { YamlMap } from '../yaml/yaml-value.ts';
import { inertFields, inertNotes, inertTable } from './index.ts';
import { nodeKinds } from './node-kinds.ts';
import { unkeptProtections } from './unkept-protections.ts';

const subject = 'this node does not act on';
const notes = (text: string, node: (typeof nodeKinds)[number] = 'machine') =>
  inertNotes(loadConfiguration(text), { node, subject, table: inertTable });
const document = (kind: string, body = '') => `apiVersion: v1alpha1\nkind: ${kind}\n${body}\n`;

test('inertNotes() has a line for each document, with the fields that the kind of node does not act on', () => {
  const text = [
    'machine:\n  type: worker\n  files: [{path: /a, op: create, content: b}]\n  pods: [{}]\n  sysctls: {a.b: "1"}\n',
    document('WatchdogTimerConfig', 'device: /dev/watchdog0'),
    document('TimeSyncConfig', 'bootTimeout: 1m\nntp: {servers: [a.example], useNTS: true}'),
    document('VolumeConfig', 'name: EPHEMERAL\nprovisioning: {maxSize: 9GiB}\nencryption: {provider: luks2}'),
    document('VolumeConfig', 'name: LOG\nprovisioning: {maxSize: 9GiB}'),
  ].join('---\n');
  assert.deepEqual(notes(text), [
    `v1alpha1: ${subject} machine.files`,
    `WatchdogTimerConfig: ${subject} this document`,
    `TimeSyncConfig: ${subject} ntp.useNTS`,
    `VolumeConfig "EPHEMERAL": ${subject} encryption`,
    `VolumeConfig "LOG": ${subject} provisioning.maxSize`,
  ]);
  assert.deepEqual(notes(text, 'process'), [
    `v1alpha1: ${subject} machine.pods, machine.files, machine.sysctls`,
    `WatchdogTimerConfig: ${subject} this document`,
    `TimeSyncConfig: ${subject} bootTimeout, ntp.useNTS`,
    `VolumeConfig "EPHEMERAL": ${subject} this document`,
    `of the documents and fields that gen config writes, ${subject} VolumeConfig`,
  ]);
});

test('inertNotes() does not say of a value that somebody chose that gen config wrote it', () => {
  const text =
    'machine: { install: { disk: /dev/sdz } }\ncluster: { discovery: { registries: { service: { endpoint: "https://mine.example" } } } }\n';
  assert.deepEqual(notes(text, 'process'), [
    `of the documents and fields that gen config writes, ${subject} v1alpha1 machine.install, v1alpha1 cluster.discovery`,
  ]);
});

test('inertNotes() says nothing about a field that is empty, and nothing without such fields', () => {
  assert.deepEqual(notes('machine:\n  type: worker\n  files: []\n  env: {}\n  install: {}\n'), []);
});

for (const node of nodeKinds) {
  test(`inertNotes() has one line for the output of gen config, and one for what promises protection, on the kind ${node}`, () => {
    for (const minor of minors) {
      for (const type of types) {
        const lines = notes(generateConfig(sampleInput(type, {}, minor)), node);
        const starts = lines.map((line) => line.replace(/(act on).*/, '$1'));
        const newest = minor >= 14 ? [`SecurityProfileConfig: ${subject}`] : [];
        assert.deepEqual(
          starts,
          [...newest, `of the documents and fields that gen config writes, ${subject}`],
          `1.${minor} ${type}`,
        );
      }
    }
  });
}

test('inertNotes() does not say of plain DNS that nodes do not act on it', () => {
  const lines = (...protocols: string[]) => {
    const servers = protocols.map((protocol) => `{ address: 192.0.2.53, protocol: ${protocol} }`);
    return notes(`apiVersion: v1alpha1\nkind: ResolverConfig\nnameservers: [${servers}]\n`);
  };
  assert.deepEqual(lines('Do53', 'Do53'), []);
  const inert = [`ResolverConfig: ${subject} nameservers[].protocol`];
  assert.deepEqual(lines('DoT'), inert);
  assert.deepEqual(lines('Do53', 'DoH'), inert);
});

test('inertNotes() has at most 20 lines of names, whatever the configuration', () => {
  const names = fc.string({ unit: 'binary', maxLength: 200 });
  fc.assert(
    fc.property(fc.array(names, { maxLength: 60 }), fc.constantFrom(...nodeKinds), (list, node) => {
      const documents = list.map((name) => ({ kind: 'NetworkRuleConfig', value: { name } }));
      const lines = inertNotes(documents, { node, subject, table: inertTable });
      assert.equal(lines.length, Math.min(list.length, 20));
      for (const line of lines) assert.doesNotMatch(line, /[\p{Cc}]/u);
      for (const line of lines) assert.ok(line.length < 600);
    }),
    { seed: 45 },
  );
  const many = Array.from({ length: 33 }, () => ({ kind: 'NetworkRuleConfig', value: {} }));
  assert.equal(
    inertNotes(many, { node: 'machine', subject, table: inertTable }).at(-1),
    `${subject} fields of 14 more documents`,
  );
});

const objects = new Set(['obj', 'list', 'map']);
const covers = (row: string, path: string) =>
  row === '' || path === row || path.startsWith(`${row}.`) || path.startsWith(`${row}[`);

test('inertFields() finds every field that a row of the table covers, and no other', () => {
  const wrong: string[] = [];
  for (const kind of documentKinds) {
    for (const { path, field } of fieldPaths(kind).filter(({ field }) => !objects.has(field.type))) {
      const value = assembleDocument(kind, fieldsBeside(kind, path));
      for (const node of nodeKinds) {
        const rows = inertFields([{ kind, value }], node, inertTable).flatMap((each) => each.rows);
        const isCovered = (inertTable[kind] ?? []).some(
          (row) => row.on.includes(node) && covers(row.path, path),
        );
        const isFound = rows.some((row) => covers(row.path, path) && row.on.includes(node));
        if (isCovered !== isFound) wrong.push(`${kind} ${path} (${field.type}) on ${node}`);
      }
    }
  }
  assert.deepEqual(wrong, []);
});

test('unkeptProtections() takes rules for images that only skip them, or no rules, for no promise', () => {
  const verified = (...rules: YamlMap[]) =>
    unkeptProtections([{ kind: 'ImageVerificationConfig', value: { rules } }]);
  const skip = { image: 'a', skip: true };
  for (const rules of [[], [skip], [skip, { image: 'b', skip: true, deny: false }]])
    assert.deepEqual(verified(...rules), []);
  assert.deepEqual(unkeptProtections([{ kind: 'ImageVerificationConfig', value: {} }]), []);
  const limits: YamlMap[] = [
    { image: 'b', deny: true },
    { image: 'b', keyless: { issuer: 'https://a.example', subject: 'a' } },
    { image: 'b', publicKey: { certificate: 'c' } },
  ];
  for (const rule of limits) assert.deepEqual(verified(skip, rule), ['ImageVerificationConfig']);
});

test('unkeptProtections() names what promises protection, and no plain configuration has any', () => {
  const documents = [
    { kind: 'v1alpha1', value: { machine: { systemDiskEncryption: { state: { provider: 'luks2' } } } } },
    { kind: 'VolumeConfig', value: { name: 'STATE', encryption: { provider: 'luks2' } } },
    { kind: 'VolumeConfig', value: { name: 'LOG', encryption: {} } },
    { kind: 'SwapVolumeConfig', value: { name: 'a', encryption: { provider: 'luks2' } } },
    { kind: 'NetworkDefaultActionConfig', value: { ingress: 'accept' } },
    { kind: 'NetworkDefaultActionConfig', value: { ingress: 'block' } },
    { kind: 'NetworkRuleConfig', value: { name: 'a\nb' } },
    { kind: 'ImageVerificationConfig', value: { rules: [{ image: 'a', deny: true }] } },
  ];
  assert.deepEqual(unkeptProtections(documents), [
    'v1alpha1 machine.systemDiskEncryption',
    'VolumeConfig "STATE" encryption',
    'SwapVolumeConfig "a" encryption',
    'NetworkDefaultActionConfig ingress',
    'NetworkRuleConfig "a\\nb"',
    'ImageVerificationConfig',
  ]);
  for (const type of types)
    assert.deepEqual(unkeptProtections(loadConfiguration(generateConfig(sampleInput(type)))), []);
});
