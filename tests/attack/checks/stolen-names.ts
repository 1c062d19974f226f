import { setTimeout as sleep } from 'node:timers/promises';
import { metadataKeys, ports } from '@nodewright/contract';
import { HostnameResponse } from '@nodewright/contract/gen/machine/machine.ts';
import { ReportRequest } from '@nodewright/contract/gen/suite/membership/v1/membership.ts';
import { MachineType } from '@nodewright/contract/gen/suite/runtime/v1/runtime.ts';
import { messagePrefix } from '@nodewright/h2';
import type { AttackTarget } from '../target/attack-target.ts';
import { Caller } from './call-once.ts';
import type { AttackCheck } from './check.ts';

const report = '/suite.membership.v1.MembershipService/Report';
const reportWaitMs = 2_000;
const prefixBytes = 5;
const failure = 'code 14: no route to node';

export const stolenNames: AttackCheck = {
  name: 'stolen-names',
  what: 'the holder of the worker token reports names and addresses of others',
  async run({ target }) {
    const { entry, behind } = target;
    const names = [
      entry.name,
      behind.name,
      `${entry.name}.zzz`,
      `${behind.name}.zzz`,
      entry.address,
      '10.1.2.3',
    ];
    const problems: string[] = [];
    const refused: string[] = [];
    for (const [index, hostname] of names.entries()) {
      const { code } = await sendReport(target, index, hostname);
      if (code !== undefined && code !== 0) refused.push(hostname);
      // A short name of two workers must lead to neither of them; that of a control plane must always lead to
      // it.
      const forEntry = await hostnameOf(target, entry.name);
      const forBehind = await hostnameOf(target, behind.name);
      if (forEntry !== entry.name)
        problems.push(`after the report of ${hostname} ${entry.name} is "${forEntry}"`);
      if (forBehind !== behind.name && !forBehind.startsWith(failure)) {
        problems.push(
          `after the report of ${hostname} a call for ${behind.name} is answered by "${forBehind}"`,
        );
      }
    }
    for (const taken of [entry.name, behind.name, entry.address]) {
      if (!refused.includes(taken)) problems.push(`the report of the hostname "${taken}" was accepted`);
    }
    return { summary: `${names.length} reports, refused: ${refused.join(', ') || 'none'}`, problems };
  },
};

/**
 * Sends a report with the right token. The server answers at the next change of the list, so no answer means
 * that it accepted the report.
 */
async function sendReport({ entry, token, bystander }: AttackTarget, index: number, hostname: string) {
  const message = ReportRequest.encode(
    ReportRequest.create({
      node: {
        nodeId: `attacker${index}`.padEnd(43, 'x'),
        addresses: ['127.0.0.1'],
        hostname,
        nodename: hostname,
        operatingSystem: 'attacker',
        machineType: MachineType.MACHINE_TYPE_WORKER,
      },
    }),
  ).finish();
  using caller = await Caller.open({ host: entry.address, port: ports.trustd }, bystander);
  const answer = caller.call({
    path: report,
    metadata: [[metadataKeys.token, token]],
    body: Buffer.concat([messagePrefix(message.length), message]),
  });
  return await Promise.race([answer, sleep(reportWaitMs, { code: undefined }, { ref: false })]);
}

/** The name that a node returns when it is called by its name. */
async function hostnameOf({ entry, certificates }: AttackTarget, name: string): Promise<string> {
  using caller = await Caller.open({ host: entry.address, port: ports.apid }, certificates.reader);
  const { code, message, body } = await caller.call({
    path: '/machine.MachineService/Hostname',
    metadata: [['node', name]],
  });
  if (code !== 0) return `code ${code}: ${message}`;
  // Skip the gRPC prefix of the message.
  return HostnameResponse.decode(body.subarray(prefixBytes)).messages[0]?.hostname ?? 'nobody';
}
