import type { JudgedEtcd } from '../../judge/judge-etcd.ts';
import type { JudgedNode } from '../../judge/judge-nodes.ts';
import type { Store } from '../../store/store.ts';
import { actionChoices, type Choice } from './chosen-action.ts';

interface ActionFormProps {
  readonly store: Store;
  readonly choice: Choice;
  readonly nodes: readonly string[];
  readonly onChange: (change: Readonly<Record<string, string>>) => void;
}

interface NodesProps {
  readonly judged: readonly JudgedNode[];
  readonly etcd: JudgedEtcd;
  /** The number of the snapshot. */
  readonly number: number;
}

/** The nodes and the action. */
export function ActionForm(props: ActionFormProps & NodesProps) {
  const { store, choice, nodes, judged, etcd, number, onChange } = props;
  const toggle = (name: string) => {
    const chosen = store.names.filter((each) => (each === name) !== nodes.includes(each));
    onChange({ nodes: chosen.join(',') });
  };
  return (
    <form class="action-form panel" onSubmit={(event) => event.preventDefault()}>
      <fieldset data-snapshot={number}>
        <legend>Nodes</legend>
        {judged.map(({ name, condition, word }) => (
          <label key={name}>
            <input type="checkbox" checked={nodes.includes(name)} onChange={() => toggle(name)} />{' '}
            <span>{name}</span> <span class="soft">{store.summaries.get(name)?.role}</span>
            {etcd.leader === name && <span class="chip">etcd leader</span>}
            {condition === 'bad' && <span class="bad-text"> {word}</span>}
          </label>
        ))}
      </fieldset>
      <div class="action-choice">
        <label>
          Action{' '}
          <select
            value={choice.action}
            onChange={({ currentTarget }) => onChange({ action: currentTarget.value })}
          >
            {['Machine', 'Service', 'etcd'].map((group) => (
              <optgroup key={group} label={group}>
                {actionChoices
                  .filter((each) => each.group === group)
                  .map(({ id, text }) => (
                    <option key={id} value={id}>
                      {text}
                    </option>
                  ))}
              </optgroup>
            ))}
          </select>
        </label>
        <Details store={store} choice={choice} nodes={nodes} onChange={onChange} />
      </div>
    </form>
  );
}

/** What the action is about. */
function Details({ store, choice, nodes, onChange }: ActionFormProps) {
  const { action, service, member, isGraceful, reboots, wiped } = choice;
  if (action === 'restart' || action === 'stop' || action === 'start') {
    const shown = nodes.length === 0 ? store.names : nodes;
    const services = [...new Set(shown.flatMap((name) => store.summaries.get(name)?.services ?? []))].sort();
    const listed = service === '' || services.includes(service) ? services : [service, ...services];
    return (
      <label>
        Service{' '}
        <select value={service} onChange={({ currentTarget }) => onChange({ service: currentTarget.value })}>
          <option value="">–</option>
          {listed.map((id) => (
            <option key={id}>{id}</option>
          ))}
        </select>
      </label>
    );
  }
  if (action === 'remove-member') {
    return (
      <label>
        Member id{' '}
        <input
          type="text"
          value={member}
          placeholder="8e9e05c52164694d"
          onInput={({ currentTarget }) => onChange({ member: currentTarget.value.trim().toLowerCase() })}
        />
      </label>
    );
  }
  if (action !== 'reset') return null;
  return (
    <>
      <label>
        <input
          type="checkbox"
          checked={isGraceful}
          onChange={() => onChange({ graceful: isGraceful ? 'no' : '' })}
        />{' '}
        leave etcd and the cluster first
      </label>
      <label>
        <input
          type="checkbox"
          checked={reboots}
          onChange={() => onChange({ reboots: reboots ? '' : 'yes' })}
        />{' '}
        reboot at the end
      </label>
      <label>
        Wipe{' '}
        <select value={wiped} onChange={({ currentTarget }) => onChange({ wiped: currentTarget.value })}>
          <option value="everything">everything</option>
          <option value="system">STATE and EPHEMERAL, which keeps the system</option>
        </select>
      </label>
    </>
  );
}
