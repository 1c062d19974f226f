import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loadedModuleSpec, moduleStatuses, parseModules } from './kernel-modules.ts';

const text = `nf_nat 57344 2 xt_MASQUERADE,nft_chain_nat, Live 0xffffffffc0a00000
virtio_net 98304 0 - Live 0x0000000000000000
old 1024 1 [permanent], Unloading 0x0000000000000000 (OE)
half 12
`;

test('parseModules() reads the loaded modules', () => {
  assert.deepEqual(parseModules(text).map(loadedModuleSpec), [
    {
      size: 57_344,
      referenceCount: 2,
      dependencies: ['xt_MASQUERADE', 'nft_chain_nat'],
      state: 'Live',
      address: '0xffffffffc0a00000',
    },
    { size: 98_304, referenceCount: 0, dependencies: [], state: 'Live', address: '0x0000000000000000' },
    { size: 1024, referenceCount: 1, dependencies: [], state: 'Unloading', address: '0x0000000000000000' },
  ]);
});

test('moduleStatuses() has every module once, with the state of the loaded ones', () => {
  const statuses = moduleStatuses(parseModules(text), ['ext4', 'virtio_net']);
  assert.deepEqual(
    statuses.map(({ id, spec }) => `${id} ${spec.type} ${spec.state} ${spec.size}`),
    [
      'ext4 built-in built-in 0',
      'virtio_net dynamic live 98304',
      'nf_nat dynamic live 57344',
      'old dynamic unloading 1024',
    ],
  );
});
