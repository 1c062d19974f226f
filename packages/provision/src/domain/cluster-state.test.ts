import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Fault } from '@nodewright/fault';
import fc from 'fast-check';
import { planNodes } from './cluster-shape.ts';
import { type ClusterState, decodeClusterState, encodeClusterState } from './cluster-state.ts';
import { gatewayAddress, subnetCidr } from './subnet.ts';

const stacks = fc.record(
  {
    tag: fc.constantFrom('dev', 'v1.0'),
    jaegerPort: fc.nat(65535),
    otlpPort: fc.nat(65535),
    publishedPorts: fc.constantFrom<Record<string, number>[]>({}, { node01: 40000, node02: 40001 }),
    engine: fc.constantFrom<Record<string, string>[]>(
      {},
      { DOCKER_HOST: 'unix:///run/user/1000/docker.sock' },
    ),
  },
  { noNullPrototype: true },
);
const states = fc
  .record({
    name: fc.stringMatching(/^[a-z0-9][a-z0-9.-]{0,20}$/),
    phase: fc.constantFrom('creating' as const, 'created' as const),
    controlPlanes: fc.integer({ min: 1, max: 5 }),
    workers: fc.nat(5),
    third: fc.option(fc.nat(255)),
    stack: fc.option(stacks),
    machine: fc.option(
      fc.record(
        { apiPort: fc.nat(65535), timePort: fc.nat(65535) },
        { noNullPrototype: true, requiredKeys: ['apiPort'] },
      ),
    ),
    version: fc.option(fc.constantFrom('1.37.1', '1.30')),
    talosconfig: fc.option(fc.record({ path: fc.string(), context: fc.string() }, { noNullPrototype: true })),
  })
  .map(
    ({ name, phase, controlPlanes, workers, third, talosconfig, stack, machine, version }): ClusterState => {
      const shape = { controlPlanes, workers };
      const subnet = { first: 127, second: 20, third: third ?? 0 };
      return {
        provisioner: stack !== null ? 'docker' : machine !== null ? 'qemu' : 'process',
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
        ...(version === null ? {} : { kubernetes: { version } }),
        ...(stack === null ? {} : { stack }),
        ...(machine === null ? {} : { machine }),
      };
    },
  );

test('decodeClusterState() reads what encodeClusterState() wrote', () => {
  fc.assert(
    fc.property(states, (state) => {
      assert.deepEqual(decodeClusterState(encodeClusterState(state), 'state.yaml'), state);
    }),
  );
});

test('decodeClusterState() names the file and the invalid value', () => {
  const good = encodeClusterState({
    provisioner: 'process',
    name: 'c',
    phase: 'created',
    shape: { controlPlanes: 1, workers: 0 },
    patchDigest: '',
    nodes: planNodes({ controlPlanes: 1, workers: 0 }, { first: 127, second: 20, third: 1 }),
  });
  const rows: [string, RegExp][] = [
    ['', /^\/x\/state\.yaml: provisionername must be a text$/],
    ['a: [', /^\/x\/state\.yaml: not YAML: /],
    [good.replace('process', 'moon'), /created by provisioner "moon", which this version does not support$/],
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
