import { type Controller, type ReconcilePass, shared, weak } from '@nodewright/controllers';
import { pointerTo } from '@nodewright/state';
import { diagnostics, linkStatuses, nodeAddresses, operatorSpecs } from '@nodewright/state/kinds';
import { missingAddress, partialNetwork } from '../domain/missing-address.ts';
import { type NetworkProblems, shownLines } from './network-problems.ts';

const loopback = 'lo';
/**
 * How long the first address may take before its absence is a problem. That of the command line is set a moment after the links are
 * known; a DHCP server is asked for it, and it is probed.
 */
const firstAddressMs = 2000;
const firstLeaseMs = 12_000;
/** How long a problem may last before it is reported: while links come up, routes wait for them. */
const passingMs = 2000;
/** Lines about problems in this time. A server of DHCP can ask for hundreds of routes, and for other ones with each renewal. */
const linesEachMs = 60_000;
const mostLines = 10;

/**
 * A diagnostic while a machine has no address, because nothing else can say so over the network, and another one while a part of its
 * network is not as it was asked for. Each new problem that lasts is logged once, up to
 * a limit.
 *
 * @param problems what is not as it was asked for
 */
export function createAddressDiagnosticsController(problems: NetworkProblems): Controller {
  let hadAddress = false;
  let startMs: number | undefined;
  let sinceMs: ReadonlyMap<string, number> = new Map();
  const logged = new Set<string>();
  let lines = { sinceMs: Number.NEGATIVE_INFINITY, count: 0 };
  const logLine = (pass: ReconcilePass, error: string) => {
    const now = pass.monotonicMs();
    if (now - lines.sinceMs >= linesEachMs) lines = { sinceMs: now, count: 0 };
    lines.count += 1;
    if (lines.count <= mostLines) pass.log.warn({ error }, 'a part of the network could not be set up');
    if (lines.count === mostLines + 1) pass.log.warn({}, 'more parts of the network could not be set up');
  };
  /** The lines of the problems that have lasted. */
  const lastingLines = (pass: ReconcilePass, hasAddress: boolean): string[] => {
    const now = pass.monotonicMs();
    const current = problems
      .all()
      .filter(({ subject }) => subject !== 'no-request' || !hasAddress)
      .map(({ line }) => line);
    sinceMs = new Map(current.map((line) => [line, sinceMs.get(line) ?? now]));
    const dueMs = [...sinceMs.values()].map((since) => since + passingMs - now).filter((ms) => ms > 0);
    if (dueMs.length > 0) pass.wakeAfter(Math.min(...dueMs));
    const lasting = current.filter((line) => (sinceMs.get(line) ?? now) + passingMs <= now);
    for (const error of lasting) if (!logged.has(error)) logLine(pass, error);
    for (const line of logged) if (!sinceMs.has(line)) logged.delete(line);
    for (const line of lasting) logged.add(line);
    return lasting;
  };
  return {
    name: 'network.AddressDiagnosticsController',
    inputs: [weak(nodeAddresses, 'current'), weak(linkStatuses), weak(operatorSpecs)],
    outputs: [shared(diagnostics)],
    open(source, scope) {
      scope.use(problems.watch(() => source.wake()));
    },
    async reconcile(pass) {
      const links = await pass.list(linkStatuses);
      // The kernel was not read yet.
      if (links.length === 0) return;
      const addresses = (await pass.get(pointerTo(nodeAddresses, 'current')))?.spec.addresses ?? [];
      hadAddress ||= addresses.length > 0;
      const lasting = lastingLines(pass, addresses.length > 0);
      const isAskedFor = (await pass.list(operatorSpecs)).some(({ spec }) => spec.operator === 'dhcp4');
      startMs ??= pass.monotonicMs();
      const waitedMs = pass.monotonicMs() - startMs;
      const patienceMs = isAskedFor ? firstLeaseMs : firstAddressMs;
      // That nothing asks for an address is true of each machine for a moment.
      const isRefused = problems.all().some(({ subject }) => subject === 'addresses');
      if (!hadAddress && !isRefused && waitedMs < patienceMs) return pass.wakeAfter(patienceMs - waitedMs);
      const missing = missingAddress({
        addresses,
        links: links
          .filter(({ metadata }) => metadata.id !== loopback)
          .map(({ metadata, spec }) => ({ name: metadata.id, operationalState: spec.operationalState })),
        problem: problems.ofAddresses(),
      });
      const partial =
        addresses.length > 0 && lasting.length > 0 ? partialNetwork(shownLines(lasting)) : undefined;
      await pass.replace(diagnostics, [
        ...(missing === undefined ? [] : [{ id: 'address-missing', spec: missing }]),
        ...(partial === undefined ? [] : [{ id: 'network-incomplete', spec: partial }]),
      ]);
    },
  };
}
