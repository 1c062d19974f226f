import assert from 'node:assert/strict';
import { test } from 'node:test';
import { VersionResponse } from '@nodewright/contract/gen/machine/machine.ts';
import { Fault } from '@nodewright/fault';
import { RecordedNode } from './recorded-node.ts';
import { NodeDirectory } from './select-nodes.ts';

const nodeOf = (files: Readonly<Record<string, string>>, name = 'node01') =>
  new RecordedNode(name, new Map(Object.entries(files).map(([path, text]) => [path, Buffer.from(text)])));

const member = `node: node01
metadata:
    namespace: cluster
    type: Members.cluster.talos.dev
    id: node01
    version: 7
    owner: cluster.MemberController
    phase: tearingDown
    created: 2026-01-02T03:04:05Z
    updated: 2026-01-02T03:04:06Z
    labels:
        a: "1"
    finalizers:
        - one
spec:
    hostname: node01
    mode: 0o644
    addresses:
        - 10.0.0.1
`;

test('RecordedNode reads resources with their metadata, and keeps the notation of their scalars', async () => {
  const specs = `{"namespace":"cluster","type":"Members.cluster.talos.dev","id":"node01","proto":"CgE3"}\n`;
  const { state } = nodeOf({
    'resources/members.yaml': `${member}---\n${member.replace('id: node01', 'id: node02')}`,
    'specs.jsonl': specs,
  });
  const kind = { namespace: 'cluster', type: 'Members.cluster.talos.dev' };
  const [first, second] = await state.list<{ yaml: string; proto: Uint8Array }>(kind);
  assert.deepEqual(first?.metadata, {
    ...{ ...kind, id: 'node01', version: 7, owner: 'cluster.MemberController', phase: 'tearingDown' },
    ...{ createdMs: 1_767_323_045_000, updatedMs: 1_767_323_046_000 },
    ...{ labels: { a: '1' }, annotations: {}, finalizers: ['one'] },
  });
  assert.equal(first?.spec.yaml, 'hostname: node01\nmode: 0o644\naddresses:\n    - 10.0.0.1\n');
  assert.equal(Buffer.from(first?.spec.proto ?? []).toString('hex'), '0a0137');
  assert.equal(second?.spec.proto.length, 0);
  await assert.rejects(state.get({ ...kind, id: 'none' }), /doesn't exist/);
});

test('RecordedNode leaves out files that cannot be read, and names them', () => {
  const deep = `metadata: {}\nspec: ${'['.repeat(200_000)}`;
  const { unreadable } = nodeOf({
    'resources/one.yaml': 'metadata: [',
    'resources/two.yaml': 'spec: {}',
    'resources/three.yaml': member,
    'resources/deep.yaml': deep,
    'specs.jsonl': 'nonsense\n[]\n{"type":1}\n',
    'api.jsonl': '{"method":1}\n{"method":"/a.B/C","request":"","error":7}\n',
  });
  assert.deepEqual(
    unreadable.map((line) => line.split(':')[0]),
    ['resources/one.yaml', 'resources/two.yaml', 'resources/deep.yaml'],
  );
});

test('RecordedNode answers by request, and as the node did when that failed', () => {
  const line = (request: string, rest: object) =>
    `${JSON.stringify({ method: '/a.B/C', request, ...rest })}\n`;
  const node = nodeOf({
    'api.jsonl': [
      line('', { response: 'AQ==' }),
      line('Ag==', { response: 'Aw==' }),
      line('BA==', { error: { code: 5, message: 'gone' } }),
    ].join(''),
  });
  assert.deepEqual([...node.answer('/a.B/C', Buffer.of())], [1]);
  assert.deepEqual([...node.answer('/a.B/C', Buffer.of(2))], [3]);
  assert.throws(() => node.answer('/a.B/C', Buffer.of(4)), new Fault('not-found', 'gone'));
  assert.throws(() => node.answer('/a.B/C', Buffer.of(9)), { kind: 'unimplemented' });
  assert.throws(() => node.answer('/a.B/D', Buffer.of()), { kind: 'unimplemented' });
});

test('RecordedNode takes the version from the summary of an archive without answers', () => {
  const node = nodeOf({ summary: 'Tag:         v1.13.9\nSHA: x\n' });
  const response = VersionResponse.decode(node.answer('/machine.MachineService/Version', Buffer.of()));
  assert.equal(response.messages[0]?.version?.tag, 'v1.13.9');
});

test('NodeDirectory finds a node by its folder, its hostname and its addresses', () => {
  const status = (type: string, id: string, spec: string) =>
    `metadata:\n    namespace: network\n    type: ${type}.net.talos.dev\n    id: ${id}\nspec:\n    ${spec}\n`;
  const one = nodeOf(
    { 'resources/h.yaml': status('HostnameStatuses', 'hostname', 'hostname: alpha') },
    '10.0.0.1',
  );
  const two = nodeOf(
    {
      'resources/a.yaml': status(
        'NodeAddresses',
        'current',
        'addresses:\n        - 10.0.0.2/24\n        - fd00::2/64',
      ),
    },
    'beta',
  );
  const directory = new NodeDirectory([one, two]);
  const found = (...names: string[]) => directory.select(names).map(({ node }) => node.name);
  assert.deepEqual(found('alpha', '10.0.0.1', '10.0.0.2', 'fd00::2', 'beta'), [
    '10.0.0.1',
    '10.0.0.1',
    'beta',
    'beta',
    'beta',
  ]);
  assert.deepEqual(found(), ['10.0.0.1']);
  assert.throws(() => found('gamma'), { kind: 'unavailable', message: /no route to node "gamma"/ });
});
