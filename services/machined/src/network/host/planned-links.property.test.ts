// The planner of links on the kernel of a network namespace of the test, with the kinds that it has. What `ip` shows is the judge.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { test } from 'node:test';
import type { KernelLink } from '@nodewright/linux/network';
import { enterOwnNamespace, noOwnNamespace, requireOwnNamespace } from '@nodewright/linux/testing';
import fc from 'fast-check';
import { worlds } from '../../base/domain/world.ts';
import { checkSequence, deviceAction } from '../testing/device-sequences.ts';
import { type LinksUnderTest, linkCases, Shorthand } from '../testing/link-conformance.ts';
import { LinkBench, linkAction, performAll, type SeenLink } from '../testing/link-sequences.ts';
import { sequenceRuns } from '../testing/sequence-runs.ts';
import { devicesOfDump } from '../testing/wg-dump.ts';
import { linksWithWireguard, openKernelNetwork } from './kernel-network.ts';
import { openNetworkPort } from './network-port.ts';

const skip = noOwnNamespace;
const wires = ['wire0', 'wire2', 'wire4', 'wire6'];

const port = skip ? undefined : await openNetworkPort(worlds.machine.networkSteps);
const network = skip ? undefined : await openKernelNetwork();
const kernel: LinksUnderTest = {
  links: () => (network === undefined ? [] : linksWithWireguard(network)),
  featuresOf: (link) => network?.featuresOf(link),
  apply: (step) => port?.apply(step),
};

/** In the namespace of the test: only links that are down, each the end of a pair. */
function startWithWires(): Shorthand {
  requireOwnNamespace();
  const of = new Shorthand(kernel);
  for (const { index, name, kind } of kernel.links()) if (kind !== '') of.remove(name, index);
  for (const [index, name] of wires.entries()) of.create('veth', name, { peerName: `wire${2 * index + 1}` });
  return of;
}

/** The kinds that this kernel has. */
function presentKinds(): ReadonlySet<string> {
  enterOwnNamespace();
  const create = startWithWires();
  const parentIndex = create.link('wire0').index;
  const details = { vlan: { id: 2, protocol: 0x8100 }, vrf: 7 };
  return new Set(
    ['vlan', 'bond', 'bridge', 'vrf', 'veth', 'dummy', 'wireguard'].filter((kind) => {
      try {
        create.create(kind, `${kind}x`, {
          ...(kind === 'veth' && { peerName: 'vethy' }),
          ...(kind === 'vlan' && { parentIndex, details: { vlan: details.vlan } }),
          ...(kind === 'vrf' && { details: { vrfTable: details.vrf } }),
        });
        return true;
      } catch (error) {
        assert.match(String(error), /ENOTSUP/);
        return false;
      }
    }),
  );
}
const kinds = skip ? new Set<string>() : presentKinds();

// Cases of a kind that this kernel lacks are not skipped tests, which count as failed in CI: they run on the simulated kernel only.
for (const { name, kinds: needed, run } of linkCases) {
  if (skip === false && !needed.every((kind) => kinds.has(kind))) continue;
  test(`the kernel of this machine: ${name}`, { skip }, () => {
    run(startWithWires());
  });
}

interface ShownLink {
  readonly ifindex: number;
  readonly ifname: string;
  readonly flags: readonly string[];
  readonly mtu: number;
  readonly address: string;
  readonly master?: string;
  readonly link?: string;
  readonly linkinfo?: {
    readonly info_kind?: string;
    readonly info_data?: Readonly<Record<string, unknown>>;
  };
}

/** The links as `ip` shows them. */
function shownLinks(): SeenLink[] {
  const text = execFileSync('ip', ['-d', '-j', 'link', 'show'], { encoding: 'utf8' });
  const shown = JSON.parse(text) as ShownLink[];
  const indexOf = (name?: string) => shown.find(({ ifname }) => ifname === name)?.ifindex ?? 0;
  const devices =
    kinds.has('wireguard') && hasWg() ? devicesOfDump(shownByWg(['show', 'all', 'dump'])) : new Map();
  return shown.map(({ ifindex, ifname, flags, mtu, address, master, link, linkinfo }) => ({
    ...{ index: ifindex, name: ifname, kind: linkinfo?.info_kind ?? '', mtu, hardwareAddress: address },
    flags: (flags.includes('UP') ? 1 : 0) | (flags.includes('MULTICAST') ? 0x1000 : 0),
    ...{ masterIndex: indexOf(master), linkIndex: indexOf(link) },
    details: detailsOf(linkinfo?.info_kind, linkinfo?.info_data ?? {}),
    ...(devices.has(ifname) && { wireguard: devices.get(ifname) }),
  }));
}

const shownByWg = (words: readonly string[]) => execFileSync('wg', words, { encoding: 'utf8' });

/** Without the program, WireGuard has no judge. */
function hasWg(): boolean {
  try {
    return shownByWg(['--version']) !== '';
  } catch {
    return false;
  }
}

function detailsOf(kind: string | undefined, data: Readonly<Record<string, unknown>>): KernelLink['details'] {
  if (kind === 'bridge') return { bridge: { spanningTree: data.stp_state === 1 } };
  if (kind === 'vrf') return { vrfTable: Number(data.table) };
  if (kind === 'vlan')
    return { vlan: { id: Number(data.id), protocol: data.protocol === '802.1ad' ? 0x88a8 : 0x8100 } };
  return {};
}

const { parts, options } = sequenceRuns(4, { short: 100, long: 500 });

for (const part of parts)
  test(`links are as configured after any sequence, a second pass plans nothing, and what others made stays (${part} of ${parts.length})`, {
    skip,
  }, () => {
    // `ip` shows the options of a bond by names.
    const usable = new Set([...kinds].filter((kind) => kind !== 'bond' && (kind !== 'wireguard' || hasWg())));
    fc.assert(
      fc.property(fc.array(linkAction(usable), { maxLength: 8 }), (actions) => {
        startWithWires();
        const bench = new LinkBench(kernel);
        performAll(bench, actions);
        assert.deepEqual(bench.mistakes(shownLinks()), []);
        bench.wanted = [];
        bench.settle();
        assert.deepEqual(bench.mistakes(shownLinks()), []);
      }),
      options,
    );
  });

for (const part of parts)
  test(`aliases and features are as configured after any sequence, and as before when they are not configured any more (${part} of ${parts.length})`, {
    skip,
  }, () => {
    startWithWires();
    fc.assert(
      fc.property(fc.array(deviceAction, { maxLength: 8 }), (actions) => checkSequence(kernel, actions)),
      options,
    );
  });
