import type { Outcome, SectionContext, SectionRule } from '../section-rule.ts';

const network = ['machine', 'network'] as const;

/** Sections of the host name, name servers, time, `/etc/hosts` and KubeSpan. */
export const networkRules: readonly SectionRule[] = [
  { section: [...network, 'hostname'], convert: hostname },
  { section: [...network, 'nameservers'], convert: resolver },
  { section: ['machine', 'features', 'hostDNS'], convert: hostDns },
  { section: ['machine', 'time'], convert: time },
  { section: [...network, 'extraHostEntries'], convert: hosts },
  { section: [...network, 'kubespan'], convert: kubeSpan },
  {
    section: [...network, 'interfaces'],
    convert: ({ legacy }) =>
      legacy.items(...network, 'interfaces').length === 0
        ? undefined
        : {
            stays:
              'the first document of a link ends DHCP on all links, and this section only on those that it names',
          },
  },
];

function hostname(context: SectionContext): Outcome {
  const { legacy, isPatch } = context;
  const [own, stable] = [
    [...network, 'hostname'],
    ['machine', 'features', 'stableHostname'],
  ];
  const name = legacy.text(...own);
  const isStable = legacy.boolean(...stable);
  if (name === '' && isStable === undefined) return undefined;
  if (isPatch && isStable === false)
    return { stays: 'a patch that turns it off has no counterpart', at: stable };
  const removes = [own, stable];
  if (name === '' && isStable === false) return { documents: [], removes };
  const draft = context.draft('HostnameConfig');
  // A name wins over a derived one in the old form, and excludes it in the document.
  if (name !== '') {
    draft.put(['hostname'], name, own);
    // The configuration that gets the patch may derive the name, which the document refuses beside a given one.
    if (isPatch) draft.put(['auto'], 'off', stable);
  } else draft.put(['auto'], 'stable', stable);
  return { documents: [draft], removes };
}

function resolver(context: SectionContext): Outcome {
  const { legacy } = context;
  const servers = legacy.texts(...network, 'nameservers');
  const search = legacy.value(...network, 'searchDomains');
  const [serversAt, searchAt, disableAt] = ['nameservers', 'searchDomains', 'disableSearchDomain'].map(
    (key) => [...network, key],
  ) as [string[], string[], string[]];
  if (servers.length === 0 && search === undefined && !legacy.has(...disableAt)) return undefined;
  if (Array.isArray(search) && search.length === 0)
    return {
      stays: 'an empty list clears the domains of other sources; the document cannot say that',
      at: searchAt,
    };
  const draft = context.draft('ResolverConfig');
  if (servers.length > 0)
    draft.put(
      ['nameservers'],
      servers.map((address) => ({ address })),
      serversAt,
    );
  for (const at of servers.keys())
    draft.moves.push({ to: ['nameservers', at, 'address'], from: [...serversAt, at] });
  draft.move(['searchDomains', 'domains'], searchAt).move(['searchDomains', 'disableDefault'], disableAt);
  return { documents: draft.moves.length > 0 ? [draft] : [], removes: [serversAt, searchAt, disableAt] };
}

function hostDns(context: SectionContext): Outcome {
  const { legacy, isPatch } = context;
  const section = ['machine', 'features', 'hostDNS'];
  if (!legacy.has(...section)) return undefined;
  if (!isPatch && legacy.boolean(...section, 'enabled') !== true)
    return { documents: [], removes: [section] };
  const draft = context.draft('ResolverConfig').move(['hostDNS'], section);
  return { documents: draft.moves.length > 0 ? [draft] : [], removes: [section], extends: true };
}

function time(context: SectionContext): Outcome {
  const { legacy } = context;
  const section = ['machine', 'time'];
  if (!legacy.has(...section)) return undefined;
  const servers = legacy.texts(...section, 'servers');
  const devices = servers.filter((server) => server.startsWith('/dev/'));
  if (devices.length > 0 && devices.length < servers.length)
    return { stays: 'the document has either servers or PTP devices', at: [...section, 'servers'] };
  const draft = context.draft('TimeSyncConfig');
  if (legacy.has(...section, 'disabled'))
    draft.put(['enabled'], legacy.boolean(...section, 'disabled') !== true, [...section, 'disabled']);
  draft.move(['bootTimeout'], [...section, 'bootTimeout']);
  draft.move(devices.length > 0 ? ['ptp', 'devices'] : ['ntp', 'servers'], [...section, 'servers']);
  return { documents: draft.moves.length > 0 ? [draft] : [], removes: [section] };
}

function hosts(context: SectionContext): Outcome {
  const section = [...network, 'extraHostEntries'];
  const entries = context.legacy.items(...section);
  if (entries.length === 0) return undefined;
  const documents = entries.map((_, at) =>
    context
      .draft('StaticHostConfig')
      .move(['name'], [...section, at, 'ip'])
      .move(['hostnames'], [...section, at, 'aliases']),
  );
  return { documents, removes: [section], isFirst: true };
}

function kubeSpan(context: SectionContext): Outcome {
  const section = [...network, 'kubespan'];
  if (!context.legacy.has(...section)) return undefined;
  const draft = context.draft('KubeSpanConfig');
  for (const key of [
    ...['enabled', 'advertiseKubernetesNetworks', 'allowDownPeerBypass', 'harvestExtraEndpoints'],
    'filters',
  ])
    draft.move([key], [...section, key]);
  if (context.legacy.integer(...section, 'mtu')) draft.move(['mtu'], [...section, 'mtu']);
  return { documents: draft.moves.length > 0 ? [draft] : [], removes: [section] };
}
