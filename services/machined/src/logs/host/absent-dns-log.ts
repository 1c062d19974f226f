import { logIds } from '@nodewright/contract';
import type { LogStore } from '@nodewright/services/logs';

/** Opens the log of host DNS, which upstream's `support` reads from every node, with the reason why it is empty. */
export function writeAbsentDnsLog(store: LogStore, nowMs: number): void {
  const line = {
    level: 'warn',
    time: new Date(nowMs).toISOString(),
    name: logIds.dnsResolveCache,
    msg: 'host DNS is not implemented: programs of this node ask its name servers directly',
  };
  store.open(logIds.dnsResolveCache, { isInMemoryOnly: true }).write(`${JSON.stringify(line)}\n`);
}
