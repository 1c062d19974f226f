import type { KubernetesState } from '../../../protocol/messages.ts';
import type { JudgedNode } from '../../judge/judge-nodes.ts';
import { DataTable } from '../../parts/data-table.tsx';
import { Panel, Waiting } from '../../parts/panel.tsx';
import { StateDot } from '../../parts/state-dot.tsx';
import { linkTo } from '../../shell/route.ts';
import type { Store } from '../../store/store.ts';
import { StaticPods } from './static-pods.tsx';
import { hasNoKubernetes, whyNoNode } from './why-no-node.ts';

interface NodeRow {
  readonly name: string;
  readonly state: KubernetesState;
  readonly problem: string | undefined;
  readonly services: readonly string[];
  /** Whether the node is away, so that Kubernetes may know less of it than this page. */
  readonly isOld: boolean;
}

interface KubernetesPanelsProps {
  readonly store: Store;
  readonly nodes: readonly JudgedNode[];
}

/** The nodes of Kubernetes and their static pods, for a view that follows `kubernetes` of all nodes. */
export function KubernetesPanels({ store, nodes }: KubernetesPanelsProps) {
  const rows = nodes.map(({ name, isOld }): NodeRow => {
    const { kubernetes: state = {}, problem } = store.feed({ kind: 'kubernetes', node: name });
    return { name, isOld, state, problem, services: store.summaries.get(name)?.services ?? [] };
  });
  if (rows.every(({ state, services }) => hasNoKubernetes(state, services))) {
    return (
      <Panel title="Kubernetes">
        <p class="nothing">
          The cluster has no Kubernetes: no node runs a kubelet or a static pod.{' '}
          <code>talosctl cluster create --kubernetes</code> creates a cluster with it.
        </p>
      </Panel>
    );
  }
  if (rows.every(({ state, problem }) => state.node === undefined && problem === undefined)) {
    return (
      <Panel title="Kubernetes">
        <Waiting problem={undefined} what="the state of Kubernetes" />
      </Panel>
    );
  }
  const pods = rows.flatMap(({ name, isOld, state }) =>
    (state.pods ?? []).map((pod) => ({ ...pod, isOld, node: name })),
  );
  return (
    <>
      <Panel title="Kubernetes nodes">
        <DataTable
          label="Kubernetes nodes"
          nothing="no node is shown"
          rows={rows}
          keyOf={({ name }) => name}
          columns={[
            {
              title: 'Node',
              cell: ({ name }) => <a href={linkTo('node', [name, 'pods'])}>{name}</a>,
              sort: ({ name }) => name,
            },
            {
              title: 'State',
              isWide: true,
              cell: (row) => <NodeState {...row} />,
              sort: ({ state }) => Number(state.node?.isReady ?? false),
            },
            { title: 'Roles', cell: ({ state }) => state.node?.roles.join(', ') || '–' },
            {
              title: 'Pod addresses',
              cell: ({ state }) => <code>{state.node?.podCidrs.join(' ') || '–'}</code>,
            },
            { title: 'Static pods ready', cell: ({ state }) => readyText(state) },
          ]}
        />
      </Panel>
      <Panel title="Static pods">
        <StaticPods pods={pods} nothing="no node runs a static pod" />
      </Panel>
    </>
  );
}

function NodeState({ state, problem, services, isOld }: NodeRow) {
  const { node } = state;
  if (problem !== undefined) return <span class="bad-text">{problem}</span>;
  if (node === undefined) return <span class="soft">not known yet</span>;
  if (node === null) return <span class="soft">no node of Kubernetes: {whyNoNode(state, services)}</span>;
  const words = [node.isReady ? 'Ready' : 'not ready', ...(node.isCordoned ? ['cordoned'] : [])].join(', ');
  if (isOld)
    return (
      <>
        <StateDot condition="unknown" title="not known" />{' '}
        <span class="soft">{words}, before it went away</span>
      </>
    );
  const isGood = node.isReady && !node.isCordoned;
  return (
    <>
      <StateDot condition={isGood ? 'good' : 'warning'} title={isGood ? 'ready' : 'not ready'} />{' '}
      <span>{words}</span>
    </>
  );
}

function readyText({ pods }: KubernetesState): string {
  if (pods === undefined) return '–';
  return pods.length === 0 ? 'none' : `${pods.filter(({ isReady }) => isReady).length} of ${pods.length}`;
}
