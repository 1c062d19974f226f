import { faultFrom } from '@nodewright/fault';
import type { NativeCalls } from '../native-calls.ts';
import { openNetlinkSocket } from './netlink-socket.ts';

/** What there is news of. */
export type NetlinkTopic = 'link' | 'address' | 'route' | 'rule';

/** Bits of the multicast groups, IPv4 and IPv6. */
const groups: Readonly<Record<NetlinkTopic, number>> = {
  link: 0x1,
  address: 0x10 | 0x100,
  route: 0x40 | 0x400,
  rule: 0x80 | 0x40000,
};

export interface NetlinkWatchInit {
  /**
   * Something has changed since the last call: it is to be read anew. Many changes may make one call. `isAll`: news were
   * lost, so anything may have changed.
   */
  readonly onChange: (isAll: boolean) => void;
  /** The watch has broken, with a Fault, and tells nothing more. The caller disposes it. */
  readonly onError: (error: unknown) => void;
}

/** In one turn of the event loop; after it others have theirs. */
const maxDatagramsATurn = 256;

/**
 * Tells of changes in the network namespace of this process, from the moment that it returns until it is disposed, which
 * takes no time. Only the kernel is believed. Keeps no process alive.
 *
 * @throws Fault `unavailable` where the kernel has no netlink, or the process may not use it
 */
export function watchNetlink(
  calls: NativeCalls,
  topics: readonly NetlinkTopic[],
  { onChange, onError }: NetlinkWatchInit,
): Disposable {
  using scope = new DisposableStack();
  const mask = topics.reduce((bits, topic) => bits | groups[topic], 0);
  const socket = scope.use(openNetlinkSocket(calls, mask));
  const readable = scope.use(
    calls.watchReadable(socket.descriptor, () => {
      try {
        const news = drain();
        if (news !== undefined) onChange(news.isAll);
      } catch (error) {
        readable[Symbol.dispose]();
        onError(faultFrom(error));
      }
    }),
  );

  function drain(): { isAll: boolean } | undefined {
    let isAll = false;
    for (let count = 0; count < maxDatagramsATurn; count += 1) {
      const received = socket.receive();
      if (received === undefined) return count === 0 ? undefined : { isAll };
      if (received.kind === 'lost') isAll = true;
    }
    return { isAll };
  }
  return scope.move();
}
