// Why the links, addresses and routes of a node are as they are: for each specification its sources, what the kernel has of it, and what
// keeps it from being applied.
import type {
  AddressSpecSpec,
  AddressStatusSpec,
  ExplanationSource,
  LinkSpecSpec,
  RouteSpecSpec,
  SpecExplanation,
  SpecExplanationSpec,
} from '@nodewright/state/kinds';
import { networkOf, parsePrefix } from '../../base/domain/prefix.ts';
import { findLink } from './find-link.ts';
import { shownName } from './link-plan/shown-name.ts';
import type { DocumentsOfLinks } from './link-sources.ts';
import { byLayerDown, type Layer } from './merge-layers.ts';
import { addressId, routeId } from './network-ids.ts';
import { routeWords } from './plan-routes.ts';

/** A specification of one layer, with its id there, such as `dhcp4/eth0/eth0/10.0.0.2/24`. */
export interface LayeredSpec<S> {
  readonly id: string;
  readonly spec: S;
}

export interface ExplainFacts {
  /** Why the node applies none; empty on one that does. */
  readonly unmanaged: string;
  /** What the layer `platform` is made from. */
  readonly platformSource: string;
  readonly documents: DocumentsOfLinks;
  /** What is wrong with the network, in one line each. */
  readonly lines: readonly string[];
  /** What the kernel has. */
  readonly links: readonly {
    readonly name: string;
    readonly alias: string;
    readonly altNames: readonly string[];
  }[];
}

/** Of one kind. Thousands of specifications are a mistake, or routes of a network that nobody reads one by one. */
export const maxExplained = 1000;
const maxProblems = 16;
/** Each specification is compared with each line. */
const maxLines = 1000;
const maxReason = 400;

interface KindFacts<S> {
  readonly idOf: (spec: S) => string;
  /** The documents of the configuration that the specification is from. */
  readonly documentsOf: (spec: S) => readonly string[];
  readonly statusOf: (spec: S) => string;
  /** What the lines about it begin with. What follows a colon and a space is the reason. */
  readonly words: (spec: S) => readonly string[];
  /** Why the kernel lacks it, when no line says so. */
  readonly otherwise: (spec: S) => string;
}

function explain<S extends { readonly layer: Layer }>(
  layered: readonly LayeredSpec<S>[],
  facts: ExplainFacts,
  { idOf, documentsOf, statusOf, words, otherwise }: KindFacts<S>,
): { readonly spec: SpecExplanationSpec; readonly used: ReadonlySet<string> } {
  const groups = Map.groupBy(layered, ({ spec }) => idOf(spec));
  const used = new Set<string>();
  const explained = [...groups].slice(0, maxExplained).map(([id, group]): SpecExplanation => {
    const sorted = byLayerDown(group.map((each) => ({ ...each, layer: each.spec.layer })));
    const highest = sorted[0] as (typeof sorted)[number];
    const statusId = statusOf(highest.spec);
    const starts = words(highest.spec);
    const lines = facts.lines
      .slice(0, maxLines)
      .filter((line) => starts.some((start) => line.startsWith(start)));
    for (const line of lines) used.add(line);
    const reasons = lines.map((line) => {
      const start = starts.find((each) => line.startsWith(each) && each.endsWith(': '));
      return start === undefined || !isSubject(start) ? line : line.slice(start.length);
    });
    const reason = reasons.length > 0 ? reasons.join('; ') : statusId === '' ? otherwise(highest.spec) : '';
    return {
      ...{ id, layer: highest.layer, statusId },
      sources: sorted.flatMap((each) => sourcesOf(each, documentsOf, facts)),
      reason: facts.unmanaged === '' ? reason.slice(0, maxReason) : '',
    };
  });
  return {
    used,
    spec: {
      ...{ unmanaged: facts.unmanaged, specs: explained, problems: [] },
      omitted: Math.max(0, groups.size - maxExplained),
    },
  };
}

/** Lines of plans begin with the specification; those of steps that failed keep the step. */
const isSubject = (start: string) => /^(?:link|address|route) /.test(start);

function sourcesOf<S>(
  { id, layer, spec }: LayeredSpec<S> & { readonly layer: Layer },
  documentsOf: (spec: S) => readonly string[],
  { platformSource }: ExplainFacts,
): ExplanationSource[] {
  const of = (...sources: readonly string[]) => sources.map((source) => ({ layer, source }));
  if (layer === 'configuration') {
    const documents = documentsOf(spec);
    return documents.length === 0 ? of('machine configuration') : of(...documents);
  }
  if (layer === 'cmdline') return of("kernel's command line");
  if (layer === 'platform') return of(platformSource);
  // The id begins with the operator and its link.
  const [operator = '', link = ''] = id.split('/');
  const name = operatorNames[operator];
  if (name !== undefined) return of(`${name} on ${link}`);
  return of(layer === 'default' ? 'default' : `operator ${operator}`);
}

const operatorNames: Readonly<Record<string, string | undefined>> = {
  ...{ dhcp4: 'DHCP', dhcp6: 'DHCPv6', vip: 'virtual address' },
};

/** All three resources, by their ids. */
export function explainSpecs(
  specs: {
    readonly links: readonly LayeredSpec<LinkSpecSpec>[];
    readonly addresses: readonly LayeredSpec<AddressSpecSpec>[];
    readonly routes: readonly LayeredSpec<RouteSpecSpec>[];
  },
  kernel: {
    readonly addresses: readonly { readonly id: string; readonly spec: AddressStatusSpec }[];
    /** The ids of routes. */
    readonly routes: ReadonlySet<string>;
  },
  facts: ExplainFacts,
): Readonly<Record<'links' | 'addresses' | 'routes', SpecExplanationSpec>> {
  const realName = (name: string) => findLink(facts.links, name)?.name;
  const made = new Set(specs.links.filter(({ spec }) => spec.logical).map(({ spec }) => spec.name));
  const missingLink = (name: string) =>
    made.has(name) ? 'it is not made yet' : 'there is no such network device';
  const links = explain(specs.links, facts, {
    idOf: ({ name }) => name,
    documentsOf: ({ name }) => facts.documents.ofLink(name),
    statusOf: ({ name }) => realName(name) ?? '',
    words: ({ name }) => {
      const names = new Set([shownName(name), realName(name) ?? shownName(name)]);
      return [...names].flatMap((each) => linkStarts.map((start) => start.replace('*', () => each)));
    },
    otherwise: ({ name }) => missingLink(name),
  });
  const present = new Map(
    kernel.addresses.map(({ id, spec }) => [addressKey(spec.linkName, spec.address), id]),
  );
  const addresses = explain(specs.addresses, facts, {
    idOf: ({ linkName, address }) => addressId(linkName, address),
    documentsOf: ({ linkName }) => facts.documents.ofSettings(linkName),
    statusOf: ({ linkName, address }) =>
      present.get(addressKey(realName(linkName) ?? linkName, address)) ?? '',
    words: ({ linkName, address }) => [
      `address ${address}: `,
      ...['add-address', 'replace-address'].map(
        (step) => `${step} ${address} on ${realName(linkName) ?? linkName}: `,
      ),
    ],
    otherwise: ({ linkName }) =>
      realName(linkName) === undefined
        ? made.has(linkName)
          ? `the link ${linkName} is not made yet`
          : `there is no network device ${linkName}`
        : notYet,
  });
  const routes = explain(specs.routes, facts, {
    idOf: routeId,
    documentsOf: ({ outLinkName, dst }) =>
      outLinkName === '' ? facts.documents.ofRoute(dst) : facts.documents.ofSettings(outLinkName),
    statusOf: (spec) => {
      const outLinkName = realName(spec.outLinkName) ?? spec.outLinkName;
      const id = routeId({ ...spec, dst: canonical(spec.dst), gateway: bare(spec.gateway), outLinkName });
      // The kernel finds the link of such a route itself.
      const isAnyLink = spec.family === 'inet6' && outLinkName === '';
      const found = isAnyLink ? [...kernel.routes].find((each) => each.endsWith(id)) : undefined;
      return found ?? (kernel.routes.has(id) ? id : '');
    },
    words: (spec) => [`${routeWords(spec)}: `, `add-${routeWords(spec)}: `],
    otherwise: () => notYet,
  });
  const used = new Set([...links.used, ...addresses.used, ...routes.used]);
  const problems = facts.unmanaged === '' ? facts.lines.filter((line) => !used.has(line)) : [];
  return {
    links: links.spec,
    addresses: { ...addresses.spec, problems: problems.slice(0, maxProblems) },
    routes: routes.spec,
  };
}

const notYet = 'the kernel does not have it yet';
const canonical = (dst: string) => (dst === '' ? '' : (networkOf(dst) ?? dst));
const bare = (gateway: string) => canonical(gateway).replace(/\/.*/, '');

const linkStarts = [
  ...[
    'link *: ',
    'link * ',
    'create-link * ',
    'change-link * ',
    'configure-wireguard * ',
    'change-features * ',
  ],
  ...['set-link-up *: ', 'set-link-down *: ', 'remove-link *: '],
];

function addressKey(linkName: string, address: string): string {
  const prefix = parsePrefix(address);
  return `${linkName}/${prefix === undefined ? address : `${prefix.bits.toString(16)}/${prefix.length}`}`;
}
