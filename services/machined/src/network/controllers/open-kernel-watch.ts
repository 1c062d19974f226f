import type { Controller } from '@nodewright/controllers';
import type { NetlinkTopic } from '@nodewright/linux';
import type { KernelNetwork } from '../host/kernel-network.ts';

/** Opens the kernel's network; later calls return the same object. */
export type OpenNetwork = () => Promise<KernelNetwork>;

/** Opens it at the first call, and again after a failure. */
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

/** The `open` of a controller that runs after every change of these topics, and after a broken watch. */
export function openKernelWatch(network: OpenNetwork, topics: readonly NetlinkTopic[]): Controller['open'] {
  return async (source, scope) => {
    const kernel = await network();
    scope.use(
      kernel.watch(topics, { onChange: () => source.wake(), onError: (error) => source.fail(error) }),
    );
  };
}
