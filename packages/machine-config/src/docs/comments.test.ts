import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loadConfiguration } from '../decode/load-configuration.ts';
import { encodeConfiguration } from '../encode-configuration.ts';
import { generateConfig, generateDocuments } from '../generate/generate-config.ts';
import type { GenerateOptions } from '../generate/generate-options.ts';
import { minors, sampleInput, types } from '../generate/sample-input.ts';

test('comments do not change the decoded configuration', () => {
  for (const minor of [15, 11]) {
    const documents = generateDocuments(sampleInput('controlplane', { kubeSpan: true }, minor));
    const bare = encodeConfiguration(documents);
    for (const [docs, examples] of [
      [true, true],
      [true, false],
      [false, true],
    ] as const) {
      const text = encodeConfiguration(documents, { docs, examples });
      assert.notEqual(text, bare);
      assert.equal(encodeConfiguration(loadConfiguration(text)), bare);
    }
  }
});

test('every generated field with a fixed name has a help line', () => {
  const options: GenerateOptions = {
    kubeSpan: true,
    installImage: 'i',
    registryMirrors: { 'docker.io': ['http://a'] },
  };
  for (const minor of minors) {
    for (const type of types) {
      const text = generateConfig({
        ...sampleInput(type, options, minor),
        comments: { docs: true, examples: false },
      });
      const lines = text
        .replaceAll(
          /^( *)(?:configuration|auditPolicy|config|labels|taints|nodeLabels|mirrors):\n(?:\1 +.*\n)+/gm,
          '',
        )
        .split('\n');
      const silent = lines.filter((line, at) => {
        if (!/^ *(?:- )?[A-Za-z]+:(?: |$)/.test(line) || / # /.test(line) || line.startsWith('apiVersion'))
          return false;
        return !lines[at - 1]?.trimStart().startsWith('#');
      });
      assert.deepEqual(silent, []);
    }
  }
});

test('examples decode after they are uncommented', () => {
  const documents = generateDocuments(sampleInput('controlplane'));
  const text = encodeConfiguration(documents, { docs: false, examples: true });
  const uncommented = text
    .split('---\n')
    // An uncommented sample replaces the empty value above it.
    .map((part) =>
      part
        .replaceAll(/^( *)(\w+): (?:\{\}|\[\])\n\1# \2:/gm, '$1$2:')
        .replaceAll(/^( *\w+:) \{\}\n#(?= {4})/gm, '$1\n'),
    )
    .map((part) => part.replaceAll(/^( *)# ?/gm, '$1'))
    .join('---\n');
  const samples = encodeConfiguration(loadConfiguration(uncommented));
  assert.equal(
    samples.includes('node.example.org') && samples.includes('registry.example.org/installer'),
    true,
  );
});
