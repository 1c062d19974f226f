import assert from 'node:assert/strict';
import { metadataKeys } from '@nodewright/contract';
import { EmptyResponse } from '@nodewright/contract/gen/common/common.ts';
import { type Check, checksOf } from '../check.ts';
import type { Method } from '../wire/method.ts';
import { machine, storage, time } from '../wire/methods.ts';
import { only } from './expect.ts';

/** Methods that take an empty request and reply with a list of one element per node. */
const methods: readonly Pick<Method<never, unknown>, 'path'>[] = [
  machine.version,
  machine.hostname,
  machine.loadAvg,
  machine.memory,
  machine.systemStat,
  machine.cPUInfo,
  machine.cPUFreqStats,
  machine.networkDeviceStats,
  machine.diskStats,
  machine.processes,
  machine.netstat,
  machine.serviceList,
  machine.logsContainers,
  machine.mounts,
  storage.disks,
  time.time,
];

/** Each of these replies has the fields of `common.EmptyResponse`, in addition to its own. */
function envelopeOf(path: string): Method<Uint8Array, EmptyResponse> {
  return { path, encode: (request) => request, decode: (bytes) => EmptyResponse.decode(bytes) };
}

export const envelopeChecks: Check[] = methods.flatMap(({ path }) =>
  checksOf(path, {
    [`envelope.one${path}`]: [
      'the reply has one element, whose metadata is empty',
      async ({ admin }) => {
        const { metadata } = only(await admin.unary(envelopeOf(path), new Uint8Array()));
        assert.equal(metadata, undefined);
      },
    ],
    [`envelope.nodes${path}`]: [
      'with metadata nodes, the reply has one element per node, with the name of the node',
      async ({ admin, node, requireForwarding }) => {
        await requireForwarding();
        const api = admin.with({ [metadataKeys.nodes]: [node] });
        const { metadata } = only(await api.unary(envelopeOf(path), new Uint8Array()));
        if (metadata?.status?.code === 12) return;
        assert.deepEqual([metadata?.hostname, metadata?.error, metadata?.status], [node, '', undefined]);
      },
    ],
  }),
);
