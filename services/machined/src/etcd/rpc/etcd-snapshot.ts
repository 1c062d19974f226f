import type { Data } from '@nodewright/contract/gen/common/common.ts';
import type { MachineServiceImplementation } from '@nodewright/contract/gen/machine/machine.ts';
import { fileChunks } from '../../base/rpc/file-chunks.ts';
import type { EtcdAccess } from '../host/etcd-access.ts';
import { receiveSnapshot } from '../host/receive-snapshot.ts';

/** Implements EtcdSnapshot and EtcdRecover. Source: Talos v1.14: etcd RPCs. */
export function createEtcdSnapshot(
  { openLocal }: Pick<EtcdAccess, 'openLocal'>,
  /** The path where Bootstrap expects the uploaded snapshot. */
  snapshotPath: string,
): Pick<MachineServiceImplementation, 'etcdSnapshot' | 'etcdRecover'> {
  return {
    async *etcdSnapshot(_request, { signal }) {
      await using client = await openLocal();
      for await (const piece of client.snapshot(signal))
        for (const chunk of fileChunks(Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength)))
          yield chunk;
    },
    async etcdRecover(requests) {
      await receiveSnapshot(snapshotPath, bytesOf(requests));
      return { messages: [{}] };
    },
  };
}

async function* bytesOf(requests: AsyncIterable<Data>): AsyncGenerator<Uint8Array> {
  for await (const { bytes } of requests) yield bytes;
}
