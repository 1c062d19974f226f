import assert from 'node:assert/strict';
import { metadataKeys, ports } from '@nodewright/contract';
import type { Data } from '@nodewright/contract/gen/common/common.ts';
import { checksOf, Skip } from '../check.ts';
import { deadNode } from '../subject/forwards-calls.ts';
import { Api } from '../wire/api.ts';
import { CallFailure, codes } from '../wire/call-failure.ts';
import { fileSystem, machine } from '../wire/methods.ts';
import { WireConnection, type WireMetadata } from '../wire/wire-connection.ts';
import { collect, expectFailure, only } from './expect.ts';

const system = { namespace: 'system', id: 'machined', tailLines: 2 };

export const routingChecks = checksOf('routing', {
  'routing.none': [
    'without metadata, the endpoint answers for itself',
    async ({ admin }) => {
      only(await admin.with({}).unary(machine.version, {}));
    },
  ],
  'routing.node': [
    'with metadata node, that node answers, and nothing is added to its reply',
    async ({ admin, node, otherNode }) => {
      for (const target of [node, otherNode ?? node]) {
        const { metadata } = only(await admin.with({ node: target }).unary(machine.version, {}));
        assert.equal(metadata, undefined, target);
      }
    },
  ],
  'routing.another': [
    'another node can be addressed, and answers for itself',
    async ({ admin, node, otherNode, requireForwarding }) => {
      await requireForwarding();
      if (otherNode === undefined) throw new Skip('no other node is known');
      const nameOf = async (target: string) =>
        only(await admin.with({ node: target }).unary(machine.hostname, {})).hostname;
      assert.notEqual(await nameOf(otherNode), await nameOf(node));
    },
  ],
  'routing.two-values': [
    'metadata node with two values fails with INVALID_ARGUMENT "node metadata must be single-valued"',
    async ({ admin, node }) => {
      const call = admin.with({ node: [node, node] }).unary(machine.version, {});
      await expectFailure(call, codes.invalidArgument, /^node metadata must be single-valued$/);
    },
  ],
  'routing.port': [
    `a node with a port fails with INTERNAL 'invalid target "<t>"'`,
    async ({ admin, node, requireForwarding }) => {
      await requireForwarding();
      const call = admin.with({ node: `${node}:50000` }).unary(machine.version, {});
      await expectFailure(call, codes.internal, /^invalid target "/);
    },
  ],
  'routing.dead': [
    'a node that does not answer fails with UNAVAILABLE',
    async ({ admin, requireForwarding }) => {
      await requireForwarding();
      const call = admin.with({ node: deadNode }).unary(machine.version, {}, { deadlineMs: 25_000 });
      await expectFailure(call, [codes.unavailable, codes.deadlineExceeded]);
    },
    30_000,
  ],
  'routing.nodes': [
    "with metadata nodes, the reply has one element per node, with the node's name, in any order",
    async ({ admin, node, otherNode, requireForwarding }) => {
      await requireForwarding();
      if (otherNode === undefined) throw new Skip('no other node is known');
      const { messages } = await admin.with({ nodes: [node, otherNode] }).unary(machine.version, {});
      assert.deepEqual(messages.map(({ metadata }) => metadata?.hostname).sort(), [node, otherNode].sort());
      assert.ok(messages.every(({ version, metadata }) => version !== undefined && metadata?.error === ''));
    },
  ],
  'routing.nodes-win': [
    'metadata nodes takes precedence over node',
    async ({ admin, node, requireForwarding }) => {
      await requireForwarding();
      const { metadata } = only(
        await admin.with({ nodes: [node], node: deadNode }).unary(machine.version, {}),
      );
      assert.equal(metadata?.hostname, node);
    },
  ],
  'routing.nodes-partly': [
    'a node that fails is an element with its error as text and as status; the call ends with OK',
    async ({ admin, node, requireForwarding }) => {
      await requireForwarding();
      const { messages } = await admin.with({ nodes: [node, deadNode] }).unary(machine.version, {});
      assert.equal(messages.length, 2);
      const failed = messages.find(({ metadata }) => metadata?.hostname === deadNode);
      assert.equal(failed?.metadata?.status?.code, codes.unavailable);
      assert.match(failed?.metadata?.error ?? '', /^rpc error: code = Unavailable desc = ./);
    },
    30_000,
  ],
  'routing.nodes-refused': [
    'a refusal by all nodes is an element for each node, or the status of the call',
    async (subject) => {
      await subject.requireForwarding();
      const reader = await subject.as('os:reader');
      const call = reader.with({ nodes: [subject.node] }).unary(machine.reboot, {});
      const answer = await call.catch((failure: unknown) => {
        if (failure instanceof CallFailure) return failure;
        throw failure;
      });
      if (answer instanceof CallFailure) {
        assert.deepEqual([answer.code, answer.text], [codes.permissionDenied, 'not authorized']);
        return;
      }
      const { metadata } = only(answer);
      assert.deepEqual(
        [metadata?.status?.code, metadata?.status?.message],
        [codes.permissionDenied, 'not authorized'],
      );
    },
  ],
  'routing.nodes-stream': [
    'each message of a stream names its node; a node that fails sends one message with its error',
    async ({ admin, node, requireForwarding }) => {
      await requireForwarding();
      const logs = await collect(admin.with({ nodes: [node, deadNode] }).stream(machine.logs, system));
      const ofNode = logs.filter(({ metadata }) => metadata?.hostname === node);
      const ofDead = logs.filter(({ metadata }) => metadata?.hostname === deadNode);
      assert.equal(ofNode.length + ofDead.length, logs.length);
      const [failed] = ofDead as [Data];
      assert.deepEqual(
        [ofDead.length, failed.metadata?.status?.code, failed.bytes.length],
        [1, codes.unavailable, 0],
      );
      assert.ok(ofNode.length > 0 && ofNode.every(({ metadata }) => metadata?.error === ''));
    },
    30_000,
  ],
  'routing.nodes-not-taken': [
    'a service that supports only a single node fails with INVALID_ARGUMENT, and the message names the method',
    async ({ admin, node }) => {
      const call = admin.with({ nodes: [node] }).unary(fileSystem.statfs, { path: '/' });
      const text = /^one-2-many proxying is not supported for method \/machine\.StorageService\/Statfs$/;
      await expectFailure(call, codes.invalidArgument, text);
    },
  ],
  'routing.once': [
    'a forwarded call is not forwarded again, whatever its metadata say',
    async ({ admin, node }) => {
      const api = admin.with({
        [metadataKeys.proxyFrom]: 'somewhere',
        nodes: [node, deadNode],
        node: deadNode,
      });
      const { metadata } = only(await api.unary(machine.version, {}));
      assert.equal(metadata, undefined);
    },
  ],
  'routing.worker': [
    'a worker does not forward calls: PERMISSION_DENIED "no request forwarding"',
    async ({ worker, node, identity }) => {
      if (worker === undefined) throw new Skip('no worker is known');
      using connection = await WireConnection.open(`${worker}:${ports.apid}`, identity).catch(() => {
        throw new Skip('the worker cannot be reached directly');
      });
      const api = new Api(connection);
      const noForwarding = /^no request forwarding$/;
      const other = worker === node ? deadNode : node;
      for (const metadata of [
        { node: other },
        { nodes: [other] },
        { nodes: [worker, other] },
      ] as WireMetadata[]) {
        const call = api.with(metadata).unary(machine.version, {});
        await expectFailure(call, codes.permissionDenied, noForwarding);
      }
      for (const metadata of [{}, { node: worker }, { nodes: [worker] }] as WireMetadata[]) {
        only(await api.with(metadata).unary(machine.version, {}));
      }
    },
  ],
});
