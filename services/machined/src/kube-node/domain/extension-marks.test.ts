import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ExtensionStatusSpec } from '@nodewright/state/kinds';
import { extensionMarks } from './extension-marks.ts';

const extension = (name: string, version: string) =>
  ({ image: '000.sqsh', metadata: { name, version } }) as ExtensionStatusSpec;

test('extensionMarks() labels the node with each version, and annotates it with one that is no valid label', () => {
  const marks = extensionMarks([
    extension('gvisor', '20250505.0'),
    extension('agent', 'v1.2.3+build.4'),
    extension('plain', ''),
    extension('not a key', 'v1'),
    extension('x'.repeat(64), 'v1'),
  ]);
  assert.deepEqual(marks, {
    labels: { 'extensions.talos.dev/gvisor': '20250505.0', 'extensions.talos.dev/plain': '' },
    annotations: { 'extensions.talos.dev/agent': 'v1.2.3+build.4' },
  });
});
