import { useEffect, useRef, useState } from 'preact/hooks';
import type { LinkState } from '../connection/link.ts';
import { StateDot } from '../parts/state-dot.tsx';
import type { Store } from '../store/store.ts';
import { useJudgement, useStore } from '../store/use-store.ts';
import { ClusterView } from '../views/cluster/cluster-view.tsx';
import { ConfigurationView } from '../views/configuration/configuration-view.tsx';
import { ControllersView } from '../views/controllers-view.tsx';
import { EventsView } from '../views/events/events-view.tsx';
import { HealthView } from '../views/health-view.tsx';
import { LogsView } from '../views/logs/logs-view.tsx';
import { NodeView } from '../views/node/node-view.tsx';
import { ResourcesView } from '../views/resources/resources-view.tsx';
import { TraceView } from '../views/traces/trace-view.tsx';
import { TracesView } from '../views/traces/traces-view.tsx';
import { UpgradeView } from '../views/upgrade/upgrade-view.tsx';
import { WhatIfView } from '../views/what-if/what-if-view.tsx';
import { HelpDialog } from './help-dialog.tsx';
import { linkTo, type Route, useRoute } from './route.ts';
import { applyScheme, nextScheme, savedScheme } from './scheme.ts';
import { TrialNotices } from './trial-notices.tsx';
import { useKeys } from './use-keys.ts';
import { viewKeys, views } from './views.ts';

/** The page: the side bar, and one view. */
export function App() {
  const store = useStore();
  const route = useRoute();
  const [scheme, setScheme] = useState(savedScheme);
  const [isHelping, setHelping] = useState(false);
  const main = useRef<HTMLElement>(null);
  useEffect(() => applyScheme(scheme), [scheme]);
  const changeScheme = () => setScheme(nextScheme(scheme));
  useKeys({ showHelp: () => setHelping(true), changeScheme });
  const title = views.find(({ id }) => id === route.view)?.title ?? '';
  useEffect(() => {
    document.title = [title, store.context, 'talosctl ui'].filter(Boolean).join(' · ');
  }, [title, store.context]);
  useEffect(() => main.current?.scrollTo(0, 0), [route.view]);
  return (
    <>
      <button type="button" class="skip" onClick={() => main.current?.focus()}>
        Skip to the view
      </button>
      <nav class="side" aria-label="Views">
        <p class="brand">
          <img src="/icon.svg" alt="" width="24" height="24" /> <span>talosctl ui</span>
        </p>
        <ClusterState />
        <ul>
          {views.map(({ id, title: name, icon }) => (
            <li key={id}>
              <a
                href={linkTo(id)}
                aria-current={route.view === id ? 'page' : undefined}
                title={`key ${viewKeys.get(id)}`}
              >
                <svg viewBox="0 0 20 20" aria-hidden="true">
                  <path d={icon} />
                </svg>
                <span>{name}</span>
              </a>
            </li>
          ))}
        </ul>
        <Foot store={store} scheme={scheme} onScheme={changeScheme} onHelp={() => setHelping(true)} />
      </nav>
      <main id="main" ref={main} tabIndex={-1}>
        <LinkNotice link={store.link} />
        {store.refusal !== undefined && (
          <p class="problem" role="alert">
            The new link was refused, and the page goes on as before: {store.refusal}
          </p>
        )}
        <MovedNotice store={store} />
        <TrialNotices store={store} />
        {store.names.length > 0 ? (
          <View route={route} />
        ) : (
          store.link.kind !== 'ended' && <p class="nothing">connecting …</p>
        )}
      </main>
      {isHelping && <HelpDialog onClose={() => setHelping(false)} />}
    </>
  );
}

function View({ route }: { readonly route: Route }) {
  const [first = '', second = ''] = route.parts;
  switch (route.view) {
    case 'cluster':
      return <ClusterView route={route} />;
    case 'node':
      return <NodeView name={first} tab={second} />;
    case 'logs':
      return <LogsView route={route} />;
    case 'events':
      return <EventsView route={route} />;
    case 'resources':
      return <ResourcesView route={route} />;
    case 'health':
      return <HealthView />;
    case 'configuration':
      return <ConfigurationView route={route} />;
    case 'traces':
      return first === '' ? <TracesView route={route} /> : <TraceView id={first} />;
    case 'what-if':
      return <WhatIfView route={route} />;
    case 'upgrade':
      return <UpgradeView />;
    case 'controllers':
      return <ControllersView route={route} />;
    default:
      return <p class="problem">There is no such view.</p>;
  }
}

/** The condition of the cluster, in every view. */
function ClusterState() {
  const { number, cluster, nodes } = useJudgement();
  if (nodes.length === 0) return null;
  return (
    <p class={`cluster-state ${cluster.condition}`} data-snapshot={number} title={cluster.note}>
      <StateDot condition={cluster.condition} title={cluster.value} />
      <a href={linkTo('health')}>{cluster.value}</a>
    </p>
  );
}

interface FootProps {
  readonly store: Store;
  readonly scheme: string;
  readonly onScheme: () => void;
  readonly onHelp: () => void;
}

function Foot({ store, scheme, onScheme, onHelp }: FootProps) {
  const { context, program, link } = store;
  return (
    <div class="foot">
      <p title="context of the talosconfig">{context}</p>
      <p class={`link-state ${link.kind}`} role="status">
        {{ opening: 'connecting', open: 'live', broken: 'not connected', ended: 'ended' }[link.kind]}
        <span class="soft"> · {store.allowsActions ? 'with actions' : 'read only'}</span>
      </p>
      <p class="soft">{program}</p>
      <button type="button" onClick={onScheme} title="key s">
        Colours: {scheme}
      </button>
      <button type="button" onClick={onHelp} title="key ?">
        Keys
      </button>
    </div>
  );
}

/** The user has not chosen the cluster that the page shows now. */
function MovedNotice({ store }: { readonly store: Store }) {
  const { movedFrom, context } = store;
  if (movedFrom === undefined) return null;
  const name = movedFrom === context ? 'another cluster' : `the cluster of the context ${context}`;
  const dismiss = () => {
    store.movedFrom = undefined;
    store.touch();
  };
  return (
    <div class="problem" role="alert">
      <p>
        This page showed the context {movedFrom}. The program on its port now serves {name}, and so does this
        page. What you had not sent to the nodes before is gone.
      </p>
      <button type="button" onClick={dismiss}>
        Dismiss
      </button>
    </div>
  );
}

function LinkNotice({ link }: { readonly link: LinkState }) {
  if (link.kind === 'ended') {
    return (
      <p class="problem" role="alert">
        {link.message}. Press Enter where <code>talosctl ui</code> runs, or start it again: it prints a new
        link.
      </p>
    );
  }
  if (link.kind !== 'broken') return null;
  return (
    <p class="problem" role="alert">
      Not connected: {link.message}. What you see is old; the page tries again.
    </p>
  );
}
