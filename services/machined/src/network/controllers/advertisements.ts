import { type Controller, weak } from '@nodewright/controllers';
import { faultFrom } from '@nodewright/fault';
import type { KernelLink } from '@nodewright/linux';
import { kernelParamSpecs, type LinkSpecSpec, linkSpecs } from '@nodewright/state/kinds';
import type { Logger } from '@nodewright/telemetry';
import { type AcceptingLink, acceptingLinks, acceptParameterIds } from '../domain/accepting-links.ts';
import {
  guardAdvertisedRoutes,
  mostAdvertisedRoutes,
  type RouteGuardMemory,
  refusalMs,
} from '../domain/advertised-routes.ts';
import { isLinkUp } from '../domain/find-link.ts';
import { withRealNames } from '../domain/link-names.ts';
import { mergeLinks } from '../domain/merge-layers.ts';
import type { NetworkProblem } from '../domain/operator.ts';
import type { AdvertisementPort } from '../host/advertisement-port.ts';
import type { NetworkPort } from '../host/network-port.ts';
import { inLayers } from './network-config.ts';
import type { NetworkProblems } from './network-problems.ts';
import type { OpenNetwork } from './open-kernel-watch.ts';

export interface AdvertisementsInit {
  readonly port: AdvertisementPort;
  /** Called with the links whose advertisements count, at each pass. */
  readonly onAccepting: (links: readonly AcceptingLink[]) => void;
}

export interface AdvertisementsContext extends AdvertisementsInit {
  readonly network: OpenNetwork;
  readonly routes: NetworkPort;
  readonly problems: NetworkProblems;
  /** Whether a specification counts: the default layer names links that stay as they are. */
  readonly isNamed: (spec: LinkSpecSpec) => boolean;
}

/** Routes that are removed in one pass, so that other work gets its turn. */
const mostRemovals = 500;
const removalPauseMs = 20;
const retryMs = 5000;

/**
 * Lets the kernel make addresses and routes of routers' advertisements, on links that something brings up, until there are too many. Their
 * number is limited for addresses by the kernel, and for routes here.
 */
export function createAdvertisementController(context: AdvertisementsContext): Controller {
  const { network, port, routes, problems, onAccepting, isNamed } = context;
  const name = 'network.AdvertisementController';
  let memory: RouteGuardMemory = new Map();
  /** Links whose acceptance this controller decides, by their index. */
  let changed = new Set<number>();
  return {
    name,
    inputs: [weak(inLayers(linkSpecs)), weak(kernelParamSpecs)],
    outputs: [],
    async open(source, scope) {
      const kernel = await network();
      const init = { onChange: () => source.wake(), onError: (error: unknown) => source.fail(error) };
      scope.use(kernel.watch(['link', 'route'], init));
    },
    async reconcile(pass) {
      const kernel = await network();
      const links = kernel.links();
      const layers = await pass.list(inLayers(linkSpecs));
      const named = layers.flatMap(({ metadata, spec }) => (metadata.phase === 'running' ? [spec] : []));
      const wanted = mergeLinks(withRealNames(named.filter(isNamed), links)).map(({ spec }) => spec);
      const accepting = acceptingLinks(wanted, links);
      const configured = new Set((await pass.list(kernelParamSpecs)).map(({ metadata }) => metadata.id));
      const isConfigured = (linkName: string) =>
        acceptParameterIds(linkName).some((id) => configured.has(id));
      const nowMs = pass.monotonicMs();
      const guard = guardAdvertisedRoutes(memory, {
        ...{ linkIndexes: accepting.map(({ link }) => link.index), nowMs },
        ...(accepting.length === 0
          ? { routes: [], addresses: [] }
          : { routes: kernel.routes(), addresses: kernel.addresses() }),
      });
      memory = guard.memory;
      for (const { linkIndex, routeCount } of guard.flooded) {
        const link = accepting.find((each) => each.link.index === linkIndex)?.link.name;
        pass.log.warn(
          { link, routes: routeCount, most: mostAdvertisedRoutes, refusedSeconds: refusalMs / 1000 },
          "routers' advertisements have made too many routes, and are refused for a while",
        );
      }
      const refused = (index: number) => guard.refused.has(index);
      const wantedIndexes = new Set(accepting.map(({ link }) => link.index));
      const steps = links
        .filter(
          ({ index, name: linkName }) =>
            (wantedIndexes.has(index) || changed.has(index)) && !isConfigured(linkName),
        )
        .map((link) => ({ link, isAccepted: wantedIndexes.has(link.index) && !refused(link.index) }));
      const failed = steps.flatMap((step) => setAcceptance(port, step, pass.log) ?? []);
      changed = new Set([...wantedIndexes, ...failed.map(({ linkIndex }) => linkIndex)]);
      // The kernel's word, because the configuration may decide about a link.
      onAccepting(accepting.filter(({ link }) => refused(link.index) || port.accepts(link.name) === true));
      for (const route of guard.surplus.slice(0, mostRemovals)) {
        try {
          routes.apply({ kind: 'remove-route', route });
        } catch (error) {
          pass.log.debug({ error: faultFrom(error).message }, 'a route of an advertisement is not removed');
        }
      }
      const lines = failed.map(({ line }): NetworkProblem => ({ subject: 'others', line }));
      problems.set(name, lines);
      if (guard.surplus.length > mostRemovals) pass.wakeAfter(removalPauseMs);
      if (failed.length > 0) pass.wakeAfter(retryMs);
      if (guard.dueMs !== undefined) pass.wakeAfter(guard.dueMs - nowMs);
    },
  };
}

interface AcceptanceStep {
  readonly link: KernelLink;
  readonly isAccepted: boolean;
}

/** @returns why it failed */
function setAcceptance(
  port: AdvertisementPort,
  { link, isAccepted }: AcceptanceStep,
  log: Logger,
): { readonly linkIndex: number; readonly line: string } | undefined {
  const before = port.accepts(link.name);
  if (before === undefined || before === isAccepted) return undefined;
  try {
    port.setAcceptance(link.name, isAccepted);
  } catch (error) {
    const what = `advertisements of routers cannot be ${isAccepted ? 'accepted' : 'refused'}`;
    return { linkIndex: link.index, line: `link ${link.name}: ${what}: ${faultFrom(error).message}` };
  }
  if (!isAccepted || !isLinkUp(link)) return undefined;
  try {
    port.solicit(link);
  } catch (error) {
    // While the link has no usable address yet, the kernel asks by itself as soon as it has one.
    log.debug({ link: link.name, error: faultFrom(error).message }, 'routers were not asked');
  }
  return undefined;
}
