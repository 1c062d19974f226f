import { cutText, terminalText } from '../../output/terminal-text.ts';
import type { NodeModel } from '../model/model.ts';
import { type Line, line, type Span, span } from '../screen/frame.ts';
import { field } from '../screen/widgets.ts';

const labelWidth = 10;
const known = (text: string | undefined): string => (text === undefined || text === '' ? '-' : text);
const yesNo = (flag: boolean | undefined): string => (flag === undefined ? '-' : flag ? 'yes' : 'no');
const counted = (count: number, what: string): string => `${count} ${what}${count === 1 ? '' : 's'}`;

/** What the node is, one fact per line. */
export function nodeLines({ facts, sample }: NodeModel): Line[] {
  const { security, cluster, members, machine } = facts;
  const controlPlanes = members?.filter(({ spec }) => spec.machineType === 'controlplane').length ?? 0;
  const size =
    members === undefined ? [] : [counted(members.length, 'node'), counted(controlPlanes, 'control plane')];
  const cpu = sample?.cpus?.[0]?.modelName;
  const kubernetes =
    facts.pods === undefined || facts.pods.length === 0 ? undefined : `${facts.pods.length} static pods`;
  return [
    row('Cluster', [known(cluster?.clusterName), ...size].join(', ')),
    row('Machine', known([machine?.manufacturer, machine?.productName].filter(Boolean).join(' '))),
    row('CPU', known(cpu)),
    row('Processes', sample?.processes === undefined ? '-' : String(sample.processes.length)),
    row('Boot', security === undefined ? '-' : `secure boot ${yesNo(security.secureBoot)}`),
    row('SELinux', known(security?.selinuxState)),
    ...(kubernetes === undefined ? [] : [row('Kubernetes', kubernetes)]),
  ];
}

const row = (label: string, value: string | Span): Line => field(` ${label}`, value, labelWidth + 1);

/** The network of the node: addresses, gateways, resolvers, time servers and more, one fact per line. */
export function networkLines({ facts }: NodeModel, width: number): Line[] {
  const { addresses, routes, network, resolvers, timeServers, links, hostname } = facts;
  const current = addresses?.find(({ id }) => id === 'current' || id === 'routed')?.spec.addresses;
  const gateways = routes
    ?.filter(({ spec }) => spec.dst === '' && spec.gateway !== '')
    .map(({ spec }) => spec.gateway);
  const up = links?.filter(({ spec }) => spec.operationalState === 'up').map(({ id }) => id);
  const room = width - labelWidth - 3;
  const list = (values: readonly string[] | undefined): string =>
    cutText(terminalText(known(values?.join(', '))), room);
  const state = [
    network?.addressReady === false ? 'no address' : '',
    network?.connectivityReady === false ? 'not connected' : '',
    network?.hostnameReady === false ? 'no hostname' : '',
  ].filter((problem) => problem !== '');
  return [
    row('Addresses', list(current?.map((address) => address.split('/')[0] as string))),
    row('Gateway', list(gateways)),
    row('DNS', list(resolvers?.dnsServers)),
    row('NTP', list(timeServers?.timeServers)),
    row(
      'State',
      network === undefined
        ? '-'
        : state.length === 0
          ? span('ready', 'good')
          : span(state.join(', '), 'warning'),
    ),
    row('Hostname', known([hostname?.hostname, hostname?.domainname].filter(Boolean).join('.'))),
    row('Links up', list(up)),
  ];
}

/** Why the node is not healthy, one reason per line, the most important first. */
export function warningLines({ facts }: NodeModel): Line[] {
  const unmet = (facts.status?.status.unmetConditions ?? []).map(
    ({ name, reason }) => `not ready: ${name}: ${reason}`,
  );
  const diagnosed = (facts.diagnostics ?? []).map(({ spec }) => [spec.message, ...spec.details].join(' '));
  return [...unmet, ...diagnosed].map((text) => line(span(` ! ${text}`, 'warning')));
}
