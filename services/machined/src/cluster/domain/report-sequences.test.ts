// Whatever sequence of reports comes, no node that lives loses its name, its address or its calls to another one.
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

/** Nodes on one network, or all on one machine. */
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
  test(`checkReport() keeps names and addresses apart over any sequence of reports, ${title}`, () => {
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
          const refusal = checkReport({ node: record, callerAddress, known, virtual });
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
          // Nothing else is refused: a node gets a name as soon as nobody that lives has it.
          if (isLegitimate) assert.equal(refusal, undefined);
          if (refusal !== undefined) continue;
          assert.equal(isForeign, false);
          live.set(nodeId, { record, from: callerAddress });
        }
        // A node that goes on saying the same is never refused because of what others have said since.
        const known = [...live.values()].map((each) => each.record);
        for (const { record, from } of live.values()) {
          if (isControlPlaneType(record.machineType)) continue;
          assert.equal(checkReport({ node: record, callerAddress: from, known, virtual }), undefined);
        }
      }),
      { numRuns: 500 },
    );
  });
}
