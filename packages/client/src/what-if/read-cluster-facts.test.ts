import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Fault } from '@nodewright/fault';
import type { NodeClient } from '../node-client.ts';
import { hostOfUrl, mostMembers, readClusterFacts } from './read-cluster-facts.ts';

const { signal } = new AbortController();
const refuse = async () => {
  throw new Fault('unimplemented', 'no such method');
};

interface Answers {
  readonly members?: readonly object[];
  readonly status?: () => Promise<object>;
}

/** A node of a library that answers only about etcd. */
function nodeWith(name: string, { members, status = refuse }: Answers): NodeClient {
  const etcdMemberList = async () => ({ messages: [{ members }] });
  const machine = { etcdMemberList, etcdStatus: status, serviceList: refuse, version: refuse };
  return { name, machine, state: { get: refuse } } as unknown as NodeClient;
}

const member = (id: number, url: string) => ({
  ...{ id: BigInt(id), hostname: `cp-${id}`, isLearner: false, clientUrls: [url], peerUrls: [] },
});
const statusOf = (id: number) => async () => ({
  messages: [{ memberStatus: { memberId: BigInt(id), leader: 1n } }],
});

test('readClusterFacts() asks the other members whether they answer', async () => {
  const members = [1, 2, 3].map((id) => member(id, `https://[fd00::${id}]:2379`));
  const asked: string[] = [];
  const client = {
    node(name: string) {
      asked.push(name);
      const fault =
        name === 'fd00::2' ? new Fault('unavailable', 'no route') : new Fault('permission-denied', '');
      return nodeWith(name, { status: () => Promise.reject(fault) });
    },
  };
  const nodes = [nodeWith('node01', { members, status: statusOf(1) })];
  const facts = await readClusterFacts({ client, nodes, signal });
  assert.deepEqual(asked.sort(), ['fd00::2', 'fd00::3']);
  assert.deepEqual(
    facts.members?.map(({ hostname, isAlive }) => [hostname, isAlive]),
    [
      ['cp-1', true],
      ['cp-2', false],
      // A refusal is an answer.
      ['cp-3', true],
    ],
  );
  assert.deepEqual([facts.nodes[0]?.etcd, facts.nodes[0]?.isLeader], [1n, true]);
});

test('readClusterFacts() asks a limited number of the members that a node lists', async () => {
  const members = Array.from({ length: 10_000 }, (_, at) =>
    member(at + 1, `https://10.0.0.${at % 250}:2379`),
  );
  let calls = 0;
  const client = {
    node: (name: string) => {
      calls += 1;
      return nodeWith(name, { status: statusOf(2) });
    },
  };
  const nodes = [nodeWith('node01', { members, status: statusOf(1) })];
  const facts = await readClusterFacts({ client, nodes, signal });
  assert.deepEqual([facts.members?.length, calls], [mostMembers, mostMembers - 1]);
});

test('hostOfUrl() returns the host of a URL of etcd, and nothing for other texts', () => {
  assert.deepEqual(
    ['https://10.5.0.2:2379', 'https://[fd00::1]:2380', 'nonsense', '', undefined].map(hostOfUrl),
    ['10.5.0.2', 'fd00::1', undefined, undefined, undefined],
  );
});
