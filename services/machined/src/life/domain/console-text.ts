// What a machine shows to somebody who stands in front of it, in lines that a screen of 80 columns holds.

import { hasFailed, type ServiceRecord } from '@nodewright/services/domain';
import type { DiagnosticSpec, MachineStatusSpec } from '@nodewright/state/kinds';
import type { ConsoleBlock } from './console-pace.ts';

export interface ConsoleFacts {
  readonly hostname: string;
  /** Without prefix lengths. */
  readonly addresses: readonly string[];
  /** Of the key of the API's certificate, for `--cert-fingerprint`; undefined while it has none. */
  readonly fingerprint: string | undefined;
  /** Whether that is a certificate of the node itself, for an API that has none of its cluster. */
  readonly isApiWaiting: boolean;
  readonly status: MachineStatusSpec | undefined;
  readonly services: readonly Pick<ServiceRecord, 'id' | 'state' | 'isStopped' | 'history'>[];
  readonly diagnostics: readonly DiagnosticSpec[];
}

/** Names, addresses and messages come from configurations and other machines, and there may be any number of them. */
const maxAddresses = 4;
const maxReasons = 10;
const maxDetails = 3;
const maxLineLength = 240;
const prefix = '[nodewright] ';
/** Host name, address and fingerprint. */
const identityLines = 3;

/** The lines as the consoles show them. */
export function consoleBlock(facts: ConsoleFacts): ConsoleBlock {
  const lines = consoleLines(facts);
  const heading = [...lines.slice(0, identityLines), facts.status?.stage ?? ''].join('\n');
  return { heading, text: lines.join('\n') };
}

/** The lines about the machine: who it is, where it is reached, its state, and what it waits for. */
export function consoleLines(facts: ConsoleFacts): string[] {
  const { hostname, fingerprint, isApiWaiting, status } = facts;
  // The API may still have a certificate from before machined was restarted, and then serves that one.
  const limits =
    isApiWaiting && fingerprint !== undefined
      ? ['fingerprint holds: while the API has no certificate of its cluster']
      : [];
  const lines = [
    `host name: ${hostname || 'none yet'}`,
    `address: ${addressText(facts.addresses)}`,
    `fingerprint: ${fingerprint ?? 'none yet, the API has no certificate'}`,
    ...limits,
    `state: ${stateText(status)}`,
    ...reasonsOf(facts).map((reason) => `waits for: ${reason}`),
  ];
  return lines.map((line) => prefix + printable(line));
}

function addressText(addresses: readonly string[]): string {
  if (addresses.length === 0) return 'none';
  const more = addresses.length > maxAddresses ? [`and ${addresses.length - maxAddresses} more`] : [];
  return [...addresses.slice(0, maxAddresses), ...more].join(', ');
}

function stateText(status: MachineStatusSpec | undefined): string {
  if (status === undefined) return 'starting';
  const { stage } = status;
  if (stage !== 'booting' && stage !== 'running') return stage;
  return status.status.ready ? `${stage}, ready` : `${stage}, not ready`;
}

const waitingStates: readonly ServiceRecord['state'][] = ['Waiting', 'Preparing'];

/** The services that are on their way or have failed are named with the reason of their last entry. */
function reasonsOf({ addresses, status, services, diagnostics }: ConsoleFacts): string[] {
  const configuration =
    status?.stage === 'maintenance'
      ? [`a configuration: talosctl apply-config --insecure -n ${addresses[0] ?? '<address>'} -f <file>`]
      : [];
  const waiting = services
    .filter((service) => waitingStates.includes(service.state) || hasFailed(service))
    .map(({ id, state, history }) => `service ${id}: ${history.at(-1)?.message || state}`);
  const unmet = (status?.status.unmetConditions ?? []).map(({ name, reason }) => `${name}: ${reason}`);
  const problems = diagnostics.flatMap(({ message, details }) => [message, ...details.slice(0, maxDetails)]);
  const all = [...configuration, ...problems, ...waiting, ...unmet];
  if (all.length <= maxReasons) return all;
  return [...all.slice(0, maxReasons), `${all.length - maxReasons} more: see talosctl get diagnostics`];
}

/** Without what moves the cursor or that a console cannot show. */
function printable(line: string): string {
  const text = line.replaceAll(/[^\x20-\x7e]/gu, '?');
  return text.length <= maxLineLength ? text : `${text.slice(0, maxLineLength - 3)}...`;
}
