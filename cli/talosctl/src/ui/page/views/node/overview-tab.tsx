import { useMemo } from 'preact/hooks';
import { bytesText, dateText, percentText } from '../../parts/figures.ts';
import { Facts, Meter, Panel, Waiting } from '../../parts/panel.tsx';
import { TimeChart } from '../../parts/time-chart.tsx';
import type { TabProps } from './node-view.tsx';

const noPoints: readonly never[] = [];

/** What the node is, and its figures over ten minutes. */
export function OverviewTab({ name, store, feed, judged }: TabProps) {
  const summary = store.summaries.get(name);
  const troubles = judged.condition === 'warning' ? judged.reasons : [];
  const ofHost: Owner = summary?.sharesHost ? ' of the host' : '';
  return (
    <div class="columns">
      {troubles.length > 0 && (
        <Panel title="Not well" class="across">
          <ul class="troubles">
            {troubles.map((trouble) => (
              <li key={trouble}>{trouble}</li>
            ))}
          </ul>
        </Panel>
      )}
      <Charts name={name} store={store} feed={feed} of={ofHost} />
      <NodeFacts feed={feed} bootMs={summary?.bootMs} />
      <Processors feed={feed} of={ofHost} />
    </div>
  );
}

/** Whose figures a panel shows, as the end of its title. */
type Owner = '' | ' of the host';

function Charts({ name, store, feed, of }: Omit<TabProps, 'now' | 'judged'> & { readonly of: Owner }) {
  const points = store.histories.get(name) ?? noPoints;
  const { rates } = feed;
  const times = useMemo(() => points.map(({ atMs }) => atMs), [points]);
  const shares = useMemo(
    () => [
      { name: 'CPU', colour: 'series-1', values: points.map(({ cpu }) => cpu) },
      { name: 'memory', colour: 'series-2', values: points.map(({ memory }) => memory) },
    ],
    [points],
  );
  const loads = useMemo(
    () => [{ name: '1 minute', colour: 'series-3', values: points.map(({ load }) => load) }],
    [points],
  );
  const rateTimes = useMemo(() => rates.map(({ atMs }) => atMs), [rates]);
  const network = useMemo(
    () => [
      { name: 'received', colour: 'series-1', values: rates.map(({ received }) => received) },
      { name: 'sent', colour: 'series-2', values: rates.map(({ sent }) => sent) },
    ],
    [rates],
  );
  const disks = useMemo(
    () => [
      { name: 'read', colour: 'series-1', values: rates.map(({ read }) => read) },
      { name: 'written', colour: 'series-2', values: rates.map(({ written }) => written) },
    ],
    [rates],
  );
  const perSecond = (value: number) => `${bytesText(value)}/s`;
  return (
    <Panel title={`The last ten minutes${of}`} class="across charts">
      <TimeChart title="Use" times={times} series={shares} text={percentText} most={1} />
      <TimeChart title="Load" times={times} series={loads} text={(value) => value.toFixed(2)} />
      <TimeChart title="Network" times={rateTimes} series={network} text={perSecond} />
      <TimeChart title="Disks" times={rateTimes} series={disks} text={perSecond} />
    </Panel>
  );
}

function NodeFacts({
  feed,
  bootMs,
}: {
  readonly feed: TabProps['feed'];
  readonly bootMs: number | undefined;
}) {
  const { hostname, version, security, cluster, machine, members, resolvers, timeServers, routes } =
    feed.facts;
  const addresses = feed.facts.addresses?.find(({ id }) => id === 'current' || id === 'routed')?.spec
    .addresses;
  const gateways = routes
    ?.filter(({ spec }) => spec.dst === '' && spec.gateway !== '')
    .map(({ spec }) => spec.gateway);
  return (
    <Panel title="Facts">
      <Facts
        facts={[
          ['Hostname', [hostname?.hostname, hostname?.domainname].filter(Boolean).join('.')],
          ['Cluster', cluster?.clusterName],
          ['Members', members?.map(({ id }) => id).join(', ')],
          ['Version', version?.version],
          ['Machine', [machine?.manufacturer, machine?.productName].filter(Boolean).join(' ')],
          ['Processor', feed.detail?.cpuModel],
          ['Started', bootMs === undefined ? undefined : dateText(bootMs)],
          ['Secure boot', security === undefined ? undefined : security.secureBoot ? 'yes' : 'no'],
          ['Addresses', addresses?.join(', ')],
          ['Gateway', gateways?.join(', ')],
          ['Name servers', resolvers?.dnsServers.join(', ')],
          ['Time servers', timeServers?.timeServers.join(', ')],
        ]}
      />
    </Panel>
  );
}

function Processors({
  feed: { detail, problem },
  of,
}: {
  readonly feed: TabProps['feed'];
  readonly of: Owner;
}) {
  const title = `Processors and memory${of}`;
  if (detail === undefined) {
    return (
      <Panel title={title}>
        <Waiting problem={problem} what="a sample" />
      </Panel>
    );
  }
  const { memory, cpus } = detail;
  const parts = (['used', 'buffers', 'cached', 'free'] as const).map((part) => {
    const bytes = memory?.[part] ?? 0;
    const share = memory === undefined ? undefined : bytes / memory.total;
    return [part, <Meter key={part} isPlain share={share} text={bytesText(bytes)} label={part} />] as const;
  });
  return (
    <Panel title={title}>
      <Facts
        facts={[
          ...cpus.map((share, at) => {
            const label = `CPU ${at}`;
            return [
              label,
              <Meter key={label} share={share} text={percentText(share)} label={label} />,
            ] as const;
          }),
          ...parts,
        ]}
      />
    </Panel>
  );
}
