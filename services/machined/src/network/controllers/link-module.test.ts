import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openTestRuntime } from '@nodewright/controllers/testing';
import { putResource } from '@nodewright/state';
import { kernelModuleSpecs, linkSpecs } from '@nodewright/state/kinds';
import { plainLink } from '../domain/link-documents.ts';
import { createLinkModuleController } from './link-module.ts';

test('the modules of the kinds that links have are asked for, each once, without the links that they make by themselves', async () => {
  await using node = openTestRuntime({ controllers: [createLinkModuleController()] });
  const links = [
    { ...plainLink('bond0', 'configuration'), logical: true, kind: 'bond' },
    { ...plainLink('bond1', 'platform'), logical: true, kind: 'bond' },
    { ...plainLink('eth0.7', 'configuration'), logical: true, kind: 'vlan' },
    { ...plainLink('wg0', 'configuration'), logical: true, kind: 'wireguard' },
    { ...plainLink('eth0', 'configuration') },
  ];
  for (const spec of links)
    await putResource(node.state, {
      ...{ namespace: 'network-config', type: linkSpecs.type, id: `${spec.layer}/${spec.name}`, spec },
    });
  await node.settled();
  const asked = await node.state.list({
    namespace: kernelModuleSpecs.namespace,
    type: kernelModuleSpecs.type,
  });
  assert.deepEqual(
    asked.map(({ metadata, spec }) => [metadata.id, spec]),
    [
      ['link-8021q', { string: '8021q', parameters: [] }],
      ['link-bonding', { string: 'bonding', parameters: ['max_bonds=0'] }],
      ['link-wireguard', { string: 'wireguard', parameters: [] }],
    ],
  );
});
