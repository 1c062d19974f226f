import { once } from 'node:events';
import { ports, roles } from '@nodewright/contract';
import { Caller } from './call-once.ts';
import type { AttackCheck } from './check.ts';

const lifetimeMs = 6_000;
/** How long a connection may stay open after its certificate has expired. */
const graceMs = 3_000;
/** The validity of the run's certificates begins five minutes in the past. */
const beginsBeforeMs = 300_000;
const hourMs = 3_600_000;

export const certificateEnd: AttackCheck = {
  name: 'certificate-end',
  what: 'a connection whose certificate ends under it',
  async run({ target, issue }) {
    const endMs = Date.now() + lifetimeMs;
    const credentials = await issue([roles.reader], (beginsBeforeMs + lifetimeMs) / hourMs);
    const caller = await Caller.open({ host: target.entry.address, port: ports.apid }, credentials);
    using _open = caller;
    const before = await caller.call({ path: '/machine.MachineService/Version' });
    const following = caller.call({ path: '/machine.MachineService/Events' });
    const giveUp = AbortSignal.timeout(lifetimeMs + graceMs + 2_000);
    const isClosed = await once(caller.socket, 'close', { signal: giveUp }).then(
      () => true,
      () => false,
    );
    const lateMs = Date.now() - endMs;
    const { code } = isClosed ? await following : { code: undefined };
    return {
      summary: isClosed ? `closed ${lateMs} ms after its end, the open call had status ${code}` : 'it stayed',
      problems: [
        ...(before.code === 0 ? [] : [`the certificate was refused from the start: ${before.message}`]),
        ...(isClosed && lateMs <= graceMs ? [] : [`the connection was there ${lateMs} ms after the end`]),
        ...(isClosed && lateMs < -1_500 ? [`the connection was closed ${-lateMs} ms before the end`] : []),
        ...(isClosed && code === undefined ? ['the open call ended without a status'] : []),
      ],
    };
  },
};
