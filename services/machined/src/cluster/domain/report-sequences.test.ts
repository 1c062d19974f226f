// No sequence of reports takes the name, the address or the calls of a live node away from it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { NodeRecord } from '@nodewright/contract/gen/suite/membership/v1/membership.ts';
import fc from 'fast-check';
import { ownedAddresses } from './canonical-address.ts';
import { checkReport } from './check-report.ts';
import { isControlPlaneType } from './machine-type-message.ts';
import { fullNames } from './node-names.ts';
import { controlPlaneRecord, nodeRecord } from './testing/node-record.ts';

const virtual = new Set(['10.5.0.100']);
const few = <T>(...values: T[]) => fc.constantFrom(...values);

/** Reports of nodes on one network, or of nodes that all run on one machine. */
function reportsOf(network: string, ownAddress: (host: number) => string) {
  const step = fc.record({
    kind: few('report', 'report', 'report', 'expire'),
    id: fc.integer({ min: 1, max: 5 }),
    host: fc.integer({ min: 2, max: 5 }),
    hostname: few('node2', 'node2.zzz', 'w', 'w.a', 'w.b', 'x', 'X', '10.5.0.2'),
    nodename: few('', 'node2', 'w', 'x'),
    extra: few([], [`${network}100`], [`${network}2`], [`${network}3`]),
  });
  return fc.array(step, { maxLength: 40 }).map((steps) =>
    steps.map(({ host, extra, ...rest }) => ({
      ...rest,
      callerAddress: ownAddress(host),
      addresses: [`${network}${host}`, ...extra],
    })),
  );
}

const controlPlane = (network: string) =>
  controlPlaneRecord(2, {
    nodeId: 'cp',
    addresses: [`${network}9`],
    hostname: 'node2.example.com',
    nodename: 'node2',
  });

for (const [title, network, ownAddress] of [
  ['on a network', '10.5.0.', (host: number) => `10.5.0.${host}`],
  ['on one machine', '127.1.0.', () => '127.0.0.1'],
] as const) {
  test(`checkReport() never lets two nodes share a name or an address, ${title}`, () => {
    fc.assert(
      fc.property(reportsOf(network, ownAddress), (steps) => {
        const live = new Map<string, { readonly record: NodeRecord; readonly from: string }>();
        const cp = { record: controlPlane(network), from: `${network}9` };
        live.set('cp', cp);
        for (const { kind, id, callerAddress, addresses, hostname, nodename } of steps) {
          const nodeId = `id${id}`;
          if (kind === 'expire') {
            live.delete(nodeId);
            continue;
          }
          const record = nodeRecord(id, { nodeId, addresses, hostname, nodename });
          const known = [...live.values()].map((each) => each.record);
          const refusal = checkReport({ node: record, callerAddress, known, controlPlanes: [], virtual });
          const others = known.filter((each) => each.nodeId !== nodeId);
          const isForeign = others.some(
            (each) =>
              fullNames(each).some((name) => fullNames(record).includes(name)) ||
              ownedAddresses(each.addresses, virtual).some((address) =>
                ownedAddresses(addresses, virtual).includes(address),
              ),
          );
          const former = live.get(nodeId);
          const hasMoved = former !== undefined && !former.record.addresses.includes(addresses[0] ?? '');
          const isLegitimate = !isForeign && hostname !== '10.5.0.2' && !(hasMoved && network === '10.5.0.');
          // No other report is rejected: a node gets a name as soon as no live node has it.
          if (isLegitimate) assert.equal(refusal, undefined);
          if (refusal !== undefined) continue;
          assert.equal(isForeign, false);
          live.set(nodeId, { record, from: callerAddress });
        }
        // A node that repeats its report is never rejected because of later reports of other nodes.
        const known = [...live.values()].map((each) => each.record);
        for (const { record, from } of live.values()) {
          if (isControlPlaneType(record.machineType)) continue;
          assert.equal(
            checkReport({ node: record, callerAddress: from, known, controlPlanes: [], virtual }),
            undefined,
          );
        }
      }),
      { numRuns: 500 },
    );
  });
}
