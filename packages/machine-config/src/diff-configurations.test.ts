import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loadConfiguration } from './decode/load-configuration.ts';
import { diffConfigurations } from './diff-configurations.ts';

const machine = (hostname: string) => `# a comment
machine:
  type: worker
  network: { hostname: ${hostname} }
cluster: {} # another
`;

test('diffConfigurations() shows changes as a unified diff and ignores comments and style', () => {
  assert.equal(
    diffConfigurations(machine('a'), loadConfiguration(machine('b')), {
      names: ['old', 'new'],
      contextLines: 1,
    }),
    `--- old
+++ new
@@ -6,3 +6,3 @@
     network:
-        hostname: a
+        hostname: b
 cluster: {}
`,
  );
});

test('diffConfigurations() is empty for equivalent texts, and for two empty texts', () => {
  const plain = 'version: ""\nmachine: { network: { hostname: "a" }, type: worker }\ncluster: {}\n';
  assert.equal(diffConfigurations(machine('a'), plain), '');
  assert.equal(diffConfigurations('', '\n'), '');
});

test('diffConfigurations() shows a new configuration completely', () => {
  const text = 'apiVersion: v1alpha1\nkind: HostnameConfig\nauto: off\n';
  assert.equal(
    diffConfigurations('', text),
    '--- a\n+++ b\n@@ -0,0 +1,3 @@\n+apiVersion: v1alpha1\n+kind: HostnameConfig\n+auto: "off"\n',
  );
});

test('diffConfigurations() is fast for texts that have nothing in common', () => {
  const many = (word: string) =>
    `apiVersion: v1alpha1\nkind: EnvironmentConfig\nvariables:\n${Array.from({ length: 14_000 }, (_, at) => `  ${word}${at}: ${word}\n`).join('')}`;
  // CPU time of this process, so that other processes on the machine do not matter.
  const started = process.cpuUsage();
  const diff = diffConfigurations(many('A'), many('B'));
  assert.equal(diff.split('\n').length, 3 + 2 * 14_003 + 1);
  assert.equal(process.cpuUsage(started).user < 5e6, true);
});
