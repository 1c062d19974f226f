// A worker that cannot reach trustd of its control plane: it serves its API with a certificate of its own, and strangers change nothing.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { methodTable, ports, roles } from '@nodewright/contract';
import { startLoneNode } from '@nodewright/testkit';
import { issueCertificates } from '../target/issue-certificates.ts';
import { bundleOf } from '../target/open-target.ts';
import { Caller } from './call-once.ts';
import type { AttackCheck } from './check.ts';

const version = '/machine.MachineService/Version';
const unavailable = 14;
/** apid tolerates 50 refused calls per second, in milliseconds between two of them. */
const spacingMs = 21;
/** Nothing listens there: the trustd of the control plane is cut off. */
const cutOff = '127.254.3.2';

type Metadata = readonly (readonly [string, string])[];

export const waitingWorker: AttackCheck = {
  name: 'waiting-worker',
  what: 'a stranger calls every method of a worker whose trustd is cut off, in every way, also with wrong certificates',
  async run() {
    await using node = await startLoneNode({ workerOf: cutOff, program: bundleOf('machined') });
    const server = { host: node.address, port: ports.apid };
    const problems: string[] = [];
    const certificates = await issueCertificates(node.ca, new Date());
    const before = storedBy(node.root);

    const ways: readonly Metadata[] = [
      [],
      [['talos-role', roles.admin]],
      [['node', node.address]],
      [['nodes', node.address]],
      [
        ['proxyfrom', 'node01'],
        ['talos-role', roles.admin],
      ],
    ];
    let made = 0;
    const codes = new Map<number | undefined, number>();
    using stranger = await Caller.open(server, undefined);
    for (const [index, path] of [...Object.keys(methodTable), '/no.such.Service/Method'].entries()) {
      const metadata = ways[index % ways.length] ?? [];
      const { code, message } = await stranger.call({ path, metadata });
      made += 1;
      codes.set(code, (codes.get(code) ?? 0) + 1);
      const isRight = path === version ? code === 0 : code === unavailable && message.includes('trustd');
      if (!isRight) problems.push(`${path}: code ${code} ${message}`);
      await sleep(spacingMs);
    }
    for (const kind of ['foreign-admin', 'expired-admin', 'server-admin'] as const) {
      for (const path of [version, '/machine.MachineService/Reset']) {
        // With TLS 1.3 a client may learn only at its first call that its certificate is refused.
        using caller = await Caller.open(server, certificates[kind]).catch(() => undefined);
        const code = (await caller?.call({ path }))?.code;
        made += 1;
        if (code !== undefined) problems.push(`${kind}: ${path} had code ${code}`);
      }
    }

    using owner = await Caller.open(server, certificates.admin);
    const hostname = await owner.call({ path: '/machine.MachineService/Hostname' });
    if (hostname.code !== 0) problems.push(`the administrator got code ${hostname.code} ${hostname.message}`);
    if (storedBy(node.root) !== before) problems.push('what is stored on the node has changed');
    const counted = [...codes].map(([code, count]) => `${count} × ${code}`).join(', ');
    const ended = await Promise.race([node.machined.exited, sleep(0, undefined)]);
    if (ended !== undefined) problems.push('machined has ended');
    return {
      summary: `${made} calls (codes: ${counted}), the node is unchanged`,
      problems: problems.slice(0, 20),
    };
  },
};

/** The files of STATE with their content. */
function storedBy(root: string): string {
  const folder = join(root, 'system', 'state');
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  );
  const paths = files.map(({ parentPath, name }) => join(parentPath, name)).sort();
  return paths.map((path) => `${path}\n${readFileSync(path, 'latin1')}`).join('\n');
}
