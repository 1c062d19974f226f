import { faultFrom } from '@nodewright/fault';
import type { NativeCalls } from '../native-calls.ts';
import { openNetlinkSocket } from './netlink-socket.ts';

/** The kinds of changes that can be watched. */
export type NetlinkTopic = 'link' | 'address' | 'route' | 'rule';

/** Bit masks of the multicast groups for IPv4 and IPv6. */
const groups: Readonly<Record<NetlinkTopic, number>> = {
  link: 0x1,
  address: 0x10 | 0x100,
  route: 0x40 | 0x400,
  rule: 0x80 | 0x40000,
};

export interface NetlinkWatchInit {
  /**
   * Something has changed since the last call, so the caller reads it again. One call may stand for many
   * changes. `isAll`: messages were lost, so anything may have changed.
   */
  readonly onChange: (isAll: boolean) => void;
  /** The watch has failed with a Fault and reports nothing more. The caller disposes of it. */
  readonly onError: (error: unknown) => void;
}

/** Maximum number of datagrams per turn of the event loop, so that other work gets its turn. */
const maxDatagramsATurn = 256;

/**
 * Watches the network namespace of this process, from its return until it is disposed of. Messages that are
 * not from the kernel are ignored. It does not keep the process alive.
 *
 * @throws Fault `unavailable` if the kernel has no netlink, or the process may not use it
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
