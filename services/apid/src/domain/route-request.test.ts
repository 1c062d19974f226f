import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type Route, type RoutedCall, type RoutingNode, routeRequest } from './route-request.ts';

const controlPlane: RoutingNode = {
  nodeRoutingDisabled: false,
  canForward: true,
  localTargets: new Set(['10.5.0.2', 'node01', 'node01.example.org']),
  maxTargets: 3,
};
const worker: RoutingNode = { ...controlPlane, canForward: false };
const maintenance: RoutingNode = { ...controlPlane, nodeRoutingDisabled: true };

const memory = '/machine.MachineService/Memory';
const logs = '/machine.MachineService/Logs';
const state = '/cosi.resource.State/Get';

const call = (changes: Partial<RoutedCall> = {}): RoutedCall => ({
  fullMethod: memory,
  node: [],
  nodes: [],
  proxied: false,
  ...changes,
});
const local: Route = { kind: 'local' };
const refused = (fault: string, message: string) => ({ kind: 'refused', fault, message }) as Route;
const noForwarding = refused('permission-denied', 'no request forwarding');
const notAggregated = (method: string) =>
  refused('invalid-argument', `one-2-many proxying is not supported for method ${method}`);

const rows: [string, RoutingNode, RoutedCall, Route][] = [
  ['1: maintenance ignores node', maintenance, call({ node: ['10.5.0.9'] }), local],
  ['1: maintenance ignores nodes', maintenance, call({ nodes: ['a', 'b'] }), local],
  ['1: maintenance ignores even an invalid node', maintenance, call({ node: ['a', 'b'] }), local],
  ['2: no metadata stays here', controlPlane, call(), local],
  ['2: no metadata stays here on a worker', worker, call(), local],
  ['3: a proxied call stays here', controlPlane, call({ proxied: true, node: ['10.5.0.9'] }), local],
  ['3: a proxied call is not validated', controlPlane, call({ proxied: true, node: ['a', 'b'] }), local],
  ['3: a proxied call stays here on a worker', worker, call({ proxied: true, nodes: ['x'] }), local],
  [
    '4: two values of node are refused',
    controlPlane,
    call({ node: ['a', 'b'] }),
    refused('invalid-argument', 'node metadata must be single-valued'),
  ],
  [
    '4: node is checked before nodes',
    worker,
    call({ node: ['a', 'b'], nodes: ['c'] }),
    refused('invalid-argument', 'node metadata must be single-valued'),
  ],
  ['5: a worker serves calls to its address', worker, call({ node: ['10.5.0.2'] }), local],
  ['5: a worker serves calls to its name', worker, call({ node: ['node01'] }), local],
  ['5: a worker serves calls to its full name', worker, call({ node: ['node01.example.org'] }), local],
  [
    '5: a worker serves calls to its name for any method',
    worker,
    call({ node: ['node01'], fullMethod: state }),
    local,
  ],
  ['6: a worker serves calls when nodes has only its name', worker, call({ nodes: ['node01'] }), local],
  [
    '6: a worker accepts its name in nodes for any method',
    worker,
    call({ nodes: ['node01'], fullMethod: state }),
    local,
  ],
  [
    '7: nodes is refused for a method that is not one-to-many',
    controlPlane,
    call({ nodes: ['a'], fullMethod: state }),
    notAggregated(state),
  ],
  [
    '7: the method is checked before forwarding',
    worker,
    call({ nodes: ['a'], fullMethod: '/machine.StorageService/Statfs' }),
    notAggregated('/machine.StorageService/Statfs'),
  ],
  ['8: a worker refuses nodes', worker, call({ nodes: ['a'] }), noForwarding],
  [
    '8: a worker refuses nodes with itself and others',
    worker,
    call({ nodes: ['node01', 'a'] }),
    noForwarding,
  ],
  [
    '8: a worker refuses nodes with its name twice',
    worker,
    call({ nodes: ['node01', 'node01'] }),
    noForwarding,
  ],
  [
    '9: a call with nodes goes to each of them',
    controlPlane,
    call({ nodes: ['a', 'b'] }),
    { kind: 'many', targets: ['a', 'b'], streaming: false },
  ],
  [
    '9: nodes may have a single value',
    controlPlane,
    call({ nodes: ['10.5.0.2'] }),
    { kind: 'many', targets: ['10.5.0.2'], streaming: false },
  ],
  [
    '9: nodes takes precedence over node, and the method name decides whether it streams',
    controlPlane,
    call({ node: ['c'], nodes: ['a', 'b'], fullMethod: logs }),
    { kind: 'many', targets: ['a', 'b'], streaming: true },
  ],
  [
    '9: unknown streaming methods are recognised by name too',
    controlPlane,
    call({ nodes: ['a'], fullMethod: '/inspect.InspectService/FooStream' }),
    { kind: 'many', targets: ['a'], streaming: true },
  ],
  ['10: a worker forwards nothing', worker, call({ node: ['10.5.0.9'] }), noForwarding],
  [
    '10: a worker does not forward to its loopback address, which it does not list',
    worker,
    call({ node: ['127.0.0.1'] }),
    noForwarding,
  ],
  [
    '11: a call with node goes to that node',
    controlPlane,
    call({ node: ['10.5.0.9'] }),
    { kind: 'one', target: '10.5.0.9' },
  ],
  [
    '11: node is accepted for any method',
    controlPlane,
    call({ node: ['node02'], fullMethod: '/no.such.Service/Method' }),
    { kind: 'one', target: 'node02' },
  ],
  [
    '11: a control plane dials even itself',
    controlPlane,
    call({ node: ['10.5.0.2'] }),
    { kind: 'one', target: '10.5.0.2' },
  ],
  [
    '11: node may be an IPv6 address',
    controlPlane,
    call({ node: ['fd00::2'] }),
    { kind: 'one', target: 'fd00::2' },
  ],
  ['12: an unknown method stays here', controlPlane, call({ fullMethod: '/no.such.Service/Method' }), local],
];

for (const [name, self, request, expected] of rows) {
  test(`routeRequest() rule ${name}`, () => {
    assert.deepEqual(routeRequest(request, self), expected);
  });
}

test('routeRequest() refuses targets that are neither an address nor a host name', () => {
  const ports = ['node02:50000', '10.5.0.9:50000', '[fd00::2]:50000', '[fd00::2]', 'fd00::2:x'];
  const spaces = ['', ' ', ' node02', 'node02 ', 'node02\t', 'node02,node03'];
  const others = ['-node02', 'node02-', '.node02', 'node/02', 'caf\u00e9', 'x'.repeat(254)];
  for (const target of [...ports, ...spaces, ...others]) {
    const expected = refused('internal', `invalid target ${JSON.stringify(target)}`);
    assert.deepEqual(routeRequest(call({ node: [target] }), controlPlane), expected);
    assert.deepEqual(routeRequest(call({ nodes: ['a', target] }), controlPlane), expected);
  }
});

test('routeRequest() takes each target of nodes once, in order, and limits their number', () => {
  assert.deepEqual(routeRequest(call({ nodes: ['b', 'a', 'b', 'c', 'a'] }), controlPlane), {
    kind: 'many',
    targets: ['b', 'a', 'c'],
    streaming: false,
  });
  assert.deepEqual(
    routeRequest(call({ nodes: ['a', 'b', 'c', 'd'] }), controlPlane),
    refused('invalid-argument', 'nodes has 4 targets, more than 3'),
  );
});

test('routeRequest() never forwards a proxied call, whatever its other metadata', () => {
  const texts = fc.array(fc.string(), { maxLength: 3 });
  fc.assert(
    fc.property(texts, texts, fc.boolean(), fc.string(), (node, nodes, canForward, fullMethod) => {
      const self = { ...controlPlane, canForward };
      assert.deepEqual(routeRequest({ fullMethod, node, nodes, proxied: true }, self), local);
    }),
  );
});
