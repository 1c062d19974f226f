import type { ContainerList, ContainerRow } from '../../../protocol/messages.ts';
import { type Column, DataTable } from '../../parts/data-table.tsx';
import { Facts, Panel, Waiting } from '../../parts/panel.tsx';
import { StaticPods } from '../kubernetes/static-pods.tsx';
import { whyNoNode } from '../kubernetes/why-no-node.ts';
import type { TabProps } from './node-view.tsx';

/** The node as Kubernetes knows it, its static pods, and all containers that run on it. */
export function PodsTab({ name, store, judged }: TabProps) {
  const { containers, problem } = store.feed({ kind: 'containers', node: name });
  return (
    <>
      <KubernetesNode {...{ name, store, judged }} />
      {containers === undefined ? (
        <Panel title="Pods and their containers">
          <Waiting problem={problem} what="the containers" />
        </Panel>
      ) : (
        <>
          <Containers
            title="Pods and their containers"
            list={containers.kubernetes}
            nothing="no pod runs here"
          />
          <Containers
            title="Containers of the system"
            list={containers.system}
            nothing="no container runs here"
          />
        </>
      )}
    </>
  );
}

function KubernetesNode({ name, store, judged }: Pick<TabProps, 'name' | 'store' | 'judged'>) {
  const { kubernetes: state = {}, problem } = store.feed({ kind: 'kubernetes', node: name });
  const { node, pods } = state;
  const services = store.summaries.get(name)?.services ?? [];
  return (
    <>
      <Panel title="Kubernetes">
        {node === undefined ? (
          <Waiting problem={problem} what="the state of Kubernetes" />
        ) : node === null ? (
          <p class="nothing">This is no node of Kubernetes: {whyNoNode(state, services)}.</p>
        ) : (
          <Facts
            facts={[
              ['Name', node.name],
              ['Ready', `${node.isReady ? 'yes' : 'no'}${judged.isOld ? ', before it went away' : ''}`],
              ['New pods', node.isCordoned ? 'none: cordoned' : 'allowed'],
              ['Roles', node.roles.join(', ')],
              ['Pod addresses', node.podCidrs.join(' ')],
            ]}
          />
        )}
      </Panel>
      <Panel title="Static pods">
        {pods === undefined ? (
          <Waiting problem={problem} what="the static pods" />
        ) : (
          <StaticPods
            pods={pods.map((pod) => ({ ...pod, isOld: judged.isOld, node: name }))}
            nothing="the node has no static pod"
          />
        )}
      </Panel>
    </>
  );
}

const columns: readonly Column<ContainerRow>[] = [
  {
    title: 'Container',
    cell: ({ id, isPod }) => <code class={isPod ? '' : 'inner'}>{id}</code>,
    sort: ({ id }) => id,
  },
  { title: 'State', cell: ({ state }) => state, sort: ({ state }) => state },
  { title: 'Process', isNumber: true, cell: ({ pid }) => (pid === 0 ? '–' : pid), sort: ({ pid }) => pid },
  { title: 'Image', isWide: true, cell: ({ image }) => <code>{image}</code>, sort: ({ image }) => image },
];

interface ContainersProps {
  readonly title: string;
  readonly list: ContainerList;
  readonly nothing: string;
}

function Containers({ title, list: { containers, count, problem }, nothing }: ContainersProps) {
  return (
    <Panel
      title={title}
      aside={
        count > containers.length && (
          <p class="soft">
            the first {containers.length} of {count}
          </p>
        )
      }
    >
      {problem !== undefined ? (
        <p class="nothing">{problem}</p>
      ) : (
        <DataTable
          {...{ label: title, columns, nothing, rows: containers }}
          keyOf={({ id, image, pid }) => `${id} ${image} ${pid}`}
        />
      )}
    </Panel>
  );
}
