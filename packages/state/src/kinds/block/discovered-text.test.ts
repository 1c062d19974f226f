import assert from 'node:assert/strict';
import { test } from 'node:test';
import { discoveredText, type FoundContents } from './discovered-text.ts';

const found = (id: string, spec: Partial<FoundContents['spec']>): FoundContents => ({
  id,
  spec: { name: '', label: '', partition_label: '', parent: '', pretty_size: '', ...spec },
});

test('discoveredText() names the contents, the label and the size of a device, and the partitions of a disk', () => {
  const devices = [
    found('vdb', { name: 'gpt', pretty_size: '32 GB' }),
    found('vdb1', { name: 'ext4', label: 'backup', parent: 'vdb' }),
    found('vdb2', { partition_label: 'x'.repeat(99), parent: 'vdb' }),
    found('vdc', { pretty_size: '1 GB' }),
    ...Array.from({ length: 10 }, (_, index) => found(`vdd${index}`, { name: 'xfs', parent: 'vdd' })),
  ];
  const texts = ['vdb', 'vdb1', 'vdc', 'vdx'].map((device) => discoveredText(device, devices));
  assert.deepEqual(texts, [
    `gpt, 32 GB: vdb1 ext4 "backup", vdb2 nothing known "${'x'.repeat(36)}"`,
    'ext4 "backup"',
    'nothing known, 1 GB',
    'nothing known',
  ]);
  assert.match(discoveredText('vdd', devices), /^nothing known: vdd0 xfs, .*vdd7 xfs, 2 more$/);
});
