import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Fault } from '@nodewright/fault';
import fc from 'fast-check';
import { planNodes } from './cluster-shape.ts';
import { type ClusterState, decodeClusterState, encodeClusterState } from './cluster-state.ts';
import { gatewayAddress, subnetCidr } from './subnet.ts';

const states = fc
  .record({
    name: fc.stringMatching(/^[a-z0-9][a-z0-9.-]{0,20}$/),
    phase: fc.constantFrom('creating' as const, 'created' as const),
    controlPlanes: fc.integer({ min: 1, max: 5 }),
    workers: fc.nat(5),
    third: fc.option(fc.nat(255)),
    talosconfig: fc.option(fc.record({ path: fc.string(), context: fc.string() }, { noNullPrototype: true })),
  })
  .map(({ name, phase, controlPlanes, workers, third, talosconfig }): ClusterState => {
    const shape = { controlPlanes, workers };
    const subnet = { second: 20, third: third ?? 0 };
    return {
      name,
      phase,
      shape,
      patchDigest: 'ab12',
      nodes: third === null ? [] : planNodes(shape, subnet),
      ...(third === null
        ? {}
        : {
            network: { cidr: subnetCidr(subnet), gateway: gatewayAddress(subnet) },
            kubernetesEndpoint: `https://127.20.${third}.2:6443`,
          }),
      ...(talosconfig === null ? {} : { talosconfig }),
    };
  });

test('decodeClusterState() reads what encodeClusterState() wrote', () => {
  fc.assert(
    fc.property(states, (state) => {
      assert.deepEqual(decodeClusterState(encodeClusterState(state), 'state.yaml'), state);
    }),
  );
});

test('decodeClusterState() says which file and which value are wrong', () => {
  const good = encodeClusterState({
    name: 'c',
    phase: 'created',
    shape: { controlPlanes: 1, workers: 0 },
    patchDigest: '',
    nodes: planNodes({ controlPlanes: 1, workers: 0 }, { second: 20, third: 1 }),
  });
  const rows: [string, RegExp][] = [
    ['', /^\/x\/state\.yaml: provisionername must be a text$/],
    ['a: [', /^\/x\/state\.yaml: not YAML: /],
    [good.replace('process', 'docker'), /made by provisioner "docker", not by "process"$/],
    [good.replace('phase: created', 'phase: dreaming'), /unknown phase "dreaming"$/],
    [good.replace('workers: 0', 'workers: none'), /request\.workers must be a number$/],
    [good.replace('type: controlplane', 'type: king'), /nodes\[0\]\.type must be controlplane or worker$/],
  ];
  for (const [text, message] of rows) {
    assert.throws(
      () => decodeClusterState(text, '/x/state.yaml'),
      (error) => error instanceof Fault && error.kind === 'data-loss' && message.test(error.message),
      String(message),
    );
  }
});
