import type { KubernetesState } from '../../../protocol/messages.ts';
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
}

/** The nodes of Kubernetes and their static pods, for a view that follows `kubernetes` of all nodes. */
export function KubernetesPanels({ store }: { readonly store: Store }) {
  const rows = store.names.map((name): NodeRow => {
    const { kubernetes: state = {}, problem } = store.feed({ kind: 'kubernetes', node: name });
    return { name, state, problem, services: store.summaries.get(name)?.services ?? [] };
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
  const pods = rows.flatMap(({ name, state }) => (state.pods ?? []).map((pod) => ({ ...pod, node: name })));
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

function NodeState({ state, problem, services }: NodeRow) {
  const { node } = state;
  if (problem !== undefined) return <span class="bad-text">{problem}</span>;
  if (node === undefined) return <span class="soft">not known yet</span>;
  if (node === null) return <span class="soft">no node of Kubernetes: {whyNoNode(state, services)}</span>;
  const words = [node.isReady ? 'Ready' : 'not ready', ...(node.isCordoned ? ['cordoned'] : [])].join(', ');
  return (
    <>
      <StateDot condition={node.isReady && !node.isCordoned ? 'good' : 'warning'} /> <span>{words}</span>
    </>
  );
}

function readyText({ pods }: KubernetesState): string {
  if (pods === undefined) return '–';
  return pods.length === 0 ? 'none' : `${pods.filter(({ isReady }) => isReady).length} of ${pods.length}`;
}
