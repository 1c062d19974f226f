// Makes the kernel's network agree with the specifications: it plans, takes the steps, and plans again after each event of the kernel.
import { type Controller, type Input, type ReconcilePass, weak } from '@nodewright/controllers';
import { faultFrom } from '@nodewright/fault';
import type { NetlinkTopic } from '@nodewright/linux';
import type { KindRef } from '@nodewright/state';
import {
  type AddressSpecSpec,
  addressSpecs,
  type LinkSpecSpec,
  linkSpecs,
  type RouteSpecSpec,
  routeSpecs,
} from '@nodewright/state/kinds';
import { isLinkUp } from '../domain/find-link.ts';
import { type Layer, mergeHighest } from '../domain/merge-layers.ts';
import { addressId, routeId } from '../domain/network-ids.ts';
import { describeStep, type NetworkPlan, type NetworkStep } from '../domain/network-step.ts';
import type { ProblemSubject } from '../domain/operator.ts';
import { planAddresses } from '../domain/plan-addresses.ts';
import { planLinks } from '../domain/plan-links.ts';
import { planRoutes } from '../domain/plan-routes.ts';
import type { KernelNetwork } from '../host/kernel-network.ts';
import type { NetworkPort } from '../host/network-port.ts';
import { inLayers } from './network-config.ts';
import type { NetworkProblems } from './network-problems.ts';
import type { OpenNetwork } from './open-kernel-watch.ts';

/** A machine whose network machined may change. */
export interface PlannedNetworkInit {
  readonly port: NetworkPort;
  /** Why a link must stay down, by its name. */
  readonly obstacles: ReadonlyMap<string, string>;
}

/** What failed is tried again, also without an event. */
const retryMs = 5000;
/** A step that was taken and is planned again at once: somebody else undoes it, or the kernel understands it differently. */
const repeatMs = 1000;
/** A step that failed may succeed after the next event of the kernel, of which somebody else may cause as many as they like. */
const failedRepeatMs = 100;

export interface PlannedNetworkContext extends PlannedNetworkInit {
  readonly network: OpenNetwork;
  readonly problems: NetworkProblems;
}

/** The controllers of links, addresses and routes. */
export function plannedNetworkControllers(context: PlannedNetworkContext): Controller[] {
  return [
    createLinkSpecController(context),
    createPlanController(context, {
      name: 'network.AddressSpecController',
      subject: 'addresses',
      inputs: [weak(inLayers(addressSpecs))],
      topics: ['address', 'link'],
      plan: async (pass, kernel, owned) => {
        const merge = mergeHighest<AddressSpecSpec>(({ linkName, address }) => addressId(linkName, address));
        const wanted = merge(await appliedSpecs(pass, addressSpecs)).map(({ spec }) => spec);
        return planAddresses({ wanted, owned, links: kernel.links(), addresses: kernel.addresses() });
      },
    }),
    createPlanController(context, {
      name: 'network.RouteSpecController',
      subject: 'others',
      inputs: [weak(inLayers(routeSpecs))],
      // A gateway that cannot be reached now may be reached with the next address.
      topics: ['route', 'address', 'link'],
      plan: async (pass, kernel, owned) => {
        const merge = mergeHighest<RouteSpecSpec>(routeId);
        const wanted = merge(await appliedSpecs(pass, routeSpecs)).map(({ spec }) => spec);
        return planRoutes({ wanted, owned, links: kernel.links(), routes: kernel.routes() });
      },
    }),
  ];
}

/**
 * The specifications that act: those of the configuration do not yet, because its documents about links describe links, addresses, routes
 * and rules together.
 */
async function appliedSpecs<S extends { readonly layer: Layer }>(
  pass: ReconcilePass,
  kind: KindRef<S>,
): Promise<S[]> {
  const all = await pass.list(inLayers(kind));
  return all
    .filter(({ metadata, spec }) => metadata.phase === 'running' && spec.layer !== 'configuration')
    .map(({ spec }) => spec);
}

/** Sets links up. Source: Talos v1.14: network.LinkSpecController. */
function createLinkSpecController(context: PlannedNetworkContext): Controller {
  const { obstacles, problems } = context;
  const inner = createPlanController(context, {
    name: 'network.LinkSpecController',
    subject: 'addresses',
    inputs: [weak(inLayers(linkSpecs)), weak(inLayers(addressSpecs))],
    topics: ['link', 'address'],
    plan: async (pass, kernel) => {
      const named = (await appliedSpecs<LinkSpecSpec>(pass, linkSpecs)).filter(isNamed);
      const ofCommandLine = (await appliedSpecs(pass, addressSpecs)).filter(
        ({ layer }) => layer === 'cmdline',
      );
      // An address on a link that is down reaches nobody.
      const missing = planAddresses({
        ...{ wanted: ofCommandLine, owned: new Set(), links: kernel.links().filter(isLinkUp) },
        addresses: kernel.addresses(),
      });
      const hasOne = ofCommandLine.length > missing.waiting.length + missing.steps.length;
      return planLinks({
        wanted: named.map((spec) => spec.name),
        // Only when a problem says why no address could be set. Before the first attempt no problem is known, and the other links stay
        // down.
        bringsUpAll: !hasOne && problems.ofAddresses() !== undefined,
        ...{ obstacles, links: kernel.links() },
      });
    },
  });
  return {
    ...inner,
    async open(source, scope) {
      scope.use(problems.watch(() => source.wake()));
      await inner.open?.(source, scope);
    },
  };
}

/** The default layer names every hardware device, for DHCP, which is not implemented: only the loopback device counts. */
const isNamed = ({ name, layer, up }: LinkSpecSpec) => up && (layer !== 'default' || name === 'lo');

interface PlanControllerInit {
  readonly name: string;
  readonly subject: ProblemSubject;
  readonly inputs: readonly Input[];
  readonly topics: readonly NetlinkTopic[];
  readonly plan: (
    pass: ReconcilePass,
    kernel: KernelNetwork,
    owned: ReadonlySet<string>,
  ) => Promise<NetworkPlan>;
}

function createPlanController(
  { network, port, problems }: PlannedNetworkContext,
  { name, subject, inputs, topics, plan }: PlanControllerInit,
): Controller {
  let owned: ReadonlySet<string> = new Set();
  const taken = new TakenSteps();
  return {
    ...{ name, inputs, outputs: [] },
    async open(source, scope) {
      const kernel = await network();
      const onChange = () => {
        taken.hasEvent = true;
        source.wake();
      };
      scope.use(kernel.watch(topics, { onChange, onError: (error) => source.fail(error) }));
    },
    async reconcile(pass) {
      const made = await plan(pass, await network(), owned);
      const waitMs = taken.waitMs(made.steps, pass.monotonicMs());
      // The whole plan waits, because its steps may depend on each other.
      if (waitMs > 0) return pass.wakeAfter(waitMs);
      // Before the first step, so that what a pass leaves behind that ends in the middle is known to the next one.
      owned = made.owned;
      taken.hasEvent = false;
      const failures = made.steps.flatMap((step) => {
        const failure = failureOf(port, step);
        taken.add(step, { atMs: pass.monotonicMs(), hasFailed: failure !== undefined });
        return failure ?? [];
      });
      if (failures.length > 0) pass.wakeAfter(retryMs);
      problems.set(
        name,
        [...made.waiting, ...failures].map((line) => ({ subject, line })),
      );
    },
  };
}

interface TakenStep {
  readonly atMs: number;
  readonly hasFailed: boolean;
}

/** When steps were last taken, so that a fight with somebody who undoes them costs little. */
class TakenSteps {
  readonly #byStep = new Map<string, TakenStep>();
  /** Whether the kernel has reported a change since the last steps began. */
  hasEvent = false;

  /** How long a plan with these steps must wait; 0 or less: not at all. */
  waitMs(steps: readonly NetworkStep[], nowMs: number): number {
    for (const [step, { atMs }] of this.#byStep) if (nowMs - atMs >= repeatMs) this.#byStep.delete(step);
    const waits = steps.flatMap((step) => {
      const last = this.#byStep.get(JSON.stringify(step));
      if (last === undefined) return [];
      const pauseMs = last.hasFailed && this.hasEvent ? failedRepeatMs : repeatMs;
      return [last.atMs + pauseMs - nowMs];
    });
    return Math.max(0, ...waits);
  }

  add(step: NetworkStep, how: TakenStep): void {
    this.#byStep.set(JSON.stringify(step), how);
  }
}

function failureOf(port: NetworkPort, step: NetworkPlan['steps'][number]): string | undefined {
  try {
    port.apply(step);
    return undefined;
  } catch (error) {
    return `${describeStep(step)}: ${faultFrom(error).message}`;
  }
}
