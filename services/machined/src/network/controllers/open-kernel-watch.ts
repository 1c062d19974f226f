import type { Controller } from '@nodewright/controllers';
import type { NetlinkTopic } from '@nodewright/linux';
import type { KernelNetwork } from '../host/kernel-network.ts';

/** Opens the network of the kernel; those who ask again get the same. */
export type OpenNetwork = () => Promise<KernelNetwork>;

/** Opens it for the first who asks, and once more when that failed. */
export function openOnce(open: OpenNetwork): OpenNetwork {
  let opened: Promise<KernelNetwork> | undefined;
  return () => {
    opened ??= open().catch((error: unknown) => {
      opened = undefined;
      throw error;
    });
    return opened;
  };
}

/** The `open` of a controller that is to run after every change of these, and after a watch that broke. */
export function openKernelWatch(network: OpenNetwork, topics: readonly NetlinkTopic[]): Controller['open'] {
  return async (source, scope) => {
    const kernel = await network();
    scope.use(
      kernel.watch(topics, { onChange: () => source.wake(), onError: (error) => source.fail(error) }),
    );
  };
}
