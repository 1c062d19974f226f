// What a file may cost a conversion and its proof, whatever is in it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  convertConfigurationText,
  decodeConfigurationText,
  loadConfiguration,
} from '@nodewright/machine-config';
import { isProven, proveConfigurations } from '@nodewright/node-files';
import { generated } from './conversion-corpus.ts';

const maxProcessorMs = 60_000;
const maxAddedMiB = 1024;

/** Runs a body and fails when it takes more than the limits. */
function bounded(body: () => void): void {
  const [started, before] = [process.cpuUsage(), process.memoryUsage.rss()];
  body();
  const { user, system } = process.cpuUsage(started);
  assert.ok((user + system) / 1000 < maxProcessorMs, `${(user + system) / 1000} ms of processor time`);
  const added = (process.memoryUsage.rss() - before) / 1024 ** 2;
  assert.ok(added < maxAddedMiB, `${added} MiB`);
}

function prove(text: string): void {
  const { before, text: converted, notes } = convertConfigurationText(text);
  assert.ok(isProven(proveConfigurations(before, loadConfiguration(converted), notes)));
}

test('a configuration with 4 MiB of manifests is converted and proven in bounded time and memory', () => {
  const lines = '        key: value # text\n'.repeat(165_000);
  const text = generated(13).replace(
    /^cluster:\n/m,
    `cluster:\n    inlineManifests:\n      - name: big\n        contents: |\n${lines.replaceAll('        key', '            key')}`,
  );
  assert.ok(text.length > 4 * 1024 ** 2);
  bounded(() => prove(text));
});

test('texts that would cost too much are refused in bounded time, in a few lines', () => {
  const document = 'apiVersion: v1alpha1\nkind: StaticHostConfig\nname: 10.0.0.1\nhostnames: [a]\n---\n';
  const aliases = Array.from({ length: 60 }, (_, at) => `a${at + 1}: &a${at + 1} [*a${at}, *a${at}]\n`);
  const texts = [
    document.repeat(10_000),
    `a0: &a0 [x]\n${aliases.join('')}`,
    `machine: ${'{a: '.repeat(5000)}1${'}'.repeat(5000)}\n`,
    `machine: ${'['.repeat(100_000)}\n`,
  ];
  for (const text of texts)
    bounded(() =>
      assert.throws(
        () => prove(text),
        (error: Error) => error.message.split('\n').length <= 3 && error.message.length < 1000,
      ),
    );
});

test('a configuration is converted in each encoding of YAML, and other bytes are no text', () => {
  const text = generated(13, 'worker');
  const utf16 = Buffer.from(`\uFEFF${text}`, 'utf16le');
  for (const bytes of [Buffer.from(text), Buffer.from(`\uFEFF${text}`), utf16, Buffer.from(utf16).swap16()])
    prove(decodeConfigurationText(bytes) ?? '');
  for (const bytes of [Buffer.from([0xc3, 0x28]), Buffer.from('ü', 'latin1'), utf16.subarray(0, 31)])
    assert.equal(decodeConfigurationText(bytes), undefined);
});
