// talosctl inspect dependencies: the graph of a node's controllers, as text for Graphviz, as a picture and as data.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ListRequest } from '@nodewright/contract/gen/cosi/resource/state.ts';
import {
  ControllerRuntimeDependenciesResponse,
  DependencyEdgeType,
} from '@nodewright/contract/gen/inspect/inspect.ts';
import { defineKind, pointerTo } from '@nodewright/state';
import { healthyCluster, reply } from './replies.ts';
import { openNodeStore, stateHandlers } from './state-replies.ts';
import { openSuite } from './suite.ts';

const kindOf = (name: string) =>
  defineKind({
    type: `${name}.net.talos.dev`,
    defaultNamespace: 'network',
    spec: {},
  });
const [links, addresses] = [kindOf('Links'), kindOf('Addresses')];
const kinds = [links, addresses];
const store = await openNodeStore(
  kinds,
  ['eth0', 'lo'].map((id) => ({ ...pointerTo(links, id), spec: {} })),
);

const edge = (controllerName: string, edgeType: DependencyEdgeType, type: string, id = '') => ({
  controllerName,
  edgeType,
  resourceNamespace: edgeType === DependencyEdgeType.INPUT_WEAK ? 'network' : '',
  resourceType: type,
  resourceId: id,
});

const listHandler = stateHandlers(kinds, () => store)['/cosi.resource.State/List'];

const suite = openSuite({
  ...healthyCluster,
  ...stateHandlers(kinds, () => store),
  '/cosi.resource.State/List': (call) => {
    // An operator may not read every resource.
    const { type } = ListRequest.decode(call.request);
    if (call.node === 'node02' && type === links.type) call.fail(7, 'not authorized');
    else listHandler?.(call);
  },
  '/inspect.InspectService/ControllerRuntimeDependencies': (call) =>
    reply(call, ControllerRuntimeDependenciesResponse, {
      messages: [
        {
          edges: [
            edge('network.LinkStatusController', DependencyEdgeType.OUTPUT_EXCLUSIVE, links.type),
            edge('network.AddressController', DependencyEdgeType.OUTPUT_SHARED, addresses.type),
            edge('network.AddressController', DependencyEdgeType.INPUT_WEAK, links.type, 'eth0'),
          ],
        },
      ],
    }),
});

const inspect = (...words: string[]) => suite.run('-n', 'node01', 'inspect', 'dependencies', ...words);

test('inspect dependencies prints the graph for Graphviz', async () => {
  const { stdout, stderr, exitCode } = await inspect();
  assert.deepEqual([stderr, exitCode], ['', 0]);
  assert.equal(
    stdout,
    `digraph {
\trankdir="LR";
\t"network.LinkStatusController" [shape="box"];
\t"network.AddressController" [shape="box"];
\t"Links.net.talos.dev" [shape="note" style="filled" fillcolor="azure2"];
\t"Addresses.net.talos.dev" [shape="note" style="filled" fillcolor="azure2"];
\t"network.LinkStatusController" -> "Links.net.talos.dev" [style="bold"];
\t"network.AddressController" -> "Addresses.net.talos.dev" [style="dashed"];
\t"Links.net.talos.dev" -> "network.AddressController" [style="dotted" label="eth0"];
}
`,
  );
});

test('inspect dependencies --with-resources adds the existing resources', async () => {
  const { stdout } = await inspect('--with-resources');
  const added = stdout.split('\n').filter((line) => /eth0"|lo"/.test(line) && !line.includes('dotted'));
  assert.deepEqual(added, [
    '\t"Links.net.talos.dev/eth0" [label="eth0" shape="note"];',
    '\t"Links.net.talos.dev" -> "Links.net.talos.dev/eth0" [arrowhead="none" color="gray"];',
    '\t"Links.net.talos.dev/lo" [label="lo" shape="note"];',
    '\t"Links.net.talos.dev" -> "Links.net.talos.dev/lo" [arrowhead="none" color="gray"];',
  ]);
});

test('inspect dependencies -o json has every edge', async () => {
  const { stdout } = await inspect('-o', 'json', '--with-resources');
  assert.deepEqual(JSON.parse(stdout), [
    {
      node: 'node01',
      edges: [
        {
          ...{ controller: 'network.LinkStatusController', kind: 'output-exclusive' },
          ...{ namespace: '', type: links.type, id: '' },
        },
        {
          ...{ controller: 'network.AddressController', kind: 'output-shared' },
          ...{ namespace: '', type: addresses.type, id: '' },
        },
        {
          ...{ controller: 'network.AddressController', kind: 'input-weak' },
          ...{ namespace: 'network', type: links.type, id: 'eth0' },
        },
      ],
      resources: { [links.type]: ['eth0', 'lo'] },
    },
  ]);
});

test('inspect dependencies -o svg draws a picture', async () => {
  const { stdout, stderr, exitCode } = await inspect('-o', 'svg', '--with-resources');
  assert.deepEqual([stderr, exitCode], ['', 0]);
  assert.match(stdout, /^<\?xml .*<svg .*<\/svg>\n$/s);
  for (const text of ['Controllers of node01', '>LinkStatus<', '>Addresses<', '· eth0'])
    assert.ok(stdout.includes(text), `no ${text}`);
});

test('inspect dependencies --with-resources shows the resources that the user may read', async () => {
  const command = ['-n', 'node02', 'inspect', 'dependencies', '--with-resources'];
  const { stdout, stderr, exitCode } = await suite.run(...command);
  assert.ok(!stdout.includes('Links.net.talos.dev/eth0'));
  assert.deepEqual(
    [stderr, exitCode],
    [
      'warning: node02 does not list Links.net.talos.dev: rpc error: code = PermissionDenied desc = not authorized\n',
      0,
    ],
  );
});

test('inspect dependencies accepts one node and known formats', async () => {
  const several = await suite.run('-n', 'node01,node02', 'inspect', 'dependencies');
  assert.match(several.stderr, /works on one node, and 2 are named/);
  const unknown = await inspect('-o', 'png');
  assert.match(unknown.stderr, /option --output must be one of dot, svg, json, yaml/);
  assert.deepEqual([several.exitCode, unknown.exitCode], [1, 1]);
});
