import { Fault } from '@nodewright/fault';
import type { ClusterState } from '../domain/cluster-state.ts';
import type { LifecycleStep } from '../domain/lifecycle.ts';
import { awaitKubernetes } from './await-kubernetes.ts';
import { awaitNodes } from './await-nodes.ts';
import type { ClusterKind, NodeLauncher, PlacedCluster } from './cluster-kind.ts';
import type { ClusterMaterial } from './cluster-material.ts';
import type { CreateParts, Creation } from './creation.ts';
import { formClusterEtcd } from './form-cluster-etcd.ts';
import { claimFolder, completeCluster, draftState, writeClusterFiles } from './new-cluster-files.ts';
import { stopProcesses } from './remove-cluster.ts';
import { currentTalosconfig, restoreContext } from './restore-context.ts';
import { tellMissingVotes } from './tell-missing-votes.ts';

/** The cluster that an action creates or changes. */
export type LifecycleSubject =
  | { readonly kind: 'new'; readonly patchDigest: string }
  /** `node` is set when only this node is to be started. */
  | { readonly kind: 'existing'; readonly state: ClusterState; readonly node?: string };

/** The data that the steps of one action share. */
interface Run {
  readonly creation: Creation;
  readonly launcher: NodeLauncher;
  readonly undo: AsyncDisposableStack;
  readonly isNewCluster: boolean;
  readonly node: string;
  state: ClusterState;
  talosconfig: string;
  made?: { readonly placed: PlacedCluster; readonly material: ClusterMaterial };
  isAwaited: (name: string) => boolean;
  commits: readonly string[];
}

/** Runs the steps in order. A failure before `release-keeper` runs the registered cleanups. */
export async function runLifecycle<Parts extends CreateParts>(
  kind: ClusterKind<Parts>,
  steps: readonly LifecycleStep[],
  creation: Creation<Parts>,
  subject: LifecycleSubject,
): Promise<void> {
  await using undo = new AsyncDisposableStack();
  const known = subject.kind === 'existing' ? subject.state : undefined;
  const launcher = kind.openLauncher(creation, known, undo);
  const run: Run = {
    ...{ creation, launcher, undo, isNewCluster: subject.kind === 'new' },
    node: (subject.kind === 'existing' && subject.node) || '',
    state:
      subject.kind === 'existing'
        ? subject.state
        : { ...draftState(creation, kind.provisioner, subject.patchDigest), ...launcher.draft() },
    talosconfig: '',
    isAwaited: () => true,
    commits: [],
  };
  for (const step of steps) await executors[step](run);
}

const executors: Readonly<Record<LifecycleStep, (run: Run) => Promise<void>>> = {
  'claim-folder': ({ creation, state, undo }) => claimFolder(creation.folder, state, undo),
  'place-nodes': placeNodes,
  'hand-out-material': handOutMaterial,
  'launch-nodes': ({ launcher, state }) => launcher.launch(state),
  async 'complete-cluster'(run) {
    run.state = await completeCluster(run.creation, run.state, run.talosconfig);
  },
  async 'read-talosconfig'(run) {
    run.talosconfig = await currentTalosconfig(run.creation);
  },
  'check-data': ({ launcher, state }) => launcher.checkData(state),
  'end-leftovers': ({ creation }) => stopProcesses(creation.folder, { graceful: false }),
  'launch-again': ({ launcher, state }) => launcher.launchAgain(state),
  'launch-missing': ({ launcher, state }) => launcher.launchMissing(state),
  async 'launch-node'(run) {
    run.isAwaited = await run.launcher.launchNode(run.state, run.node);
  },
  'restore-context': ({ creation, state, talosconfig }) => restoreContext(creation, state, talosconfig),
  async 'release-keeper'({ launcher, undo }) {
    await launcher.release();
    undo.move();
  },
  async 'await-nodes'(run) {
    run.commits = await awaitNodes(run);
  },
  'form-etcd': (run) => formClusterEtcd(run),
  'await-kubernetes': (run) => awaitKubernetes(run),
  'note-missing-votes': (run) =>
    tellMissingVotes(run.creation, (timeoutMs) => formClusterEtcd(run, timeoutMs)),
  async 'note-other-build'({ creation, launcher, commits }) {
    const note = launcher.buildNote(commits);
    if (note !== undefined) creation.progress.note(note);
  },
};

async function placeNodes(run: Run): Promise<void> {
  const { parts, progress, signal } = run.creation;
  // Generating keys takes long: do it while the addresses are chosen.
  const placing = run.launcher.place(run.state);
  const secrets = progress.step('secrets', parts.makeMaterial);
  run.undo.defer(async () => void (await Promise.allSettled([placing, secrets])));
  const [placed, material] = await Promise.all([placing, secrets]);
  signal.throwIfAborted();
  run.state = placed.state;
  run.made = { placed, material };
}

async function handOutMaterial(run: Run): Promise<void> {
  const { creation, launcher, made, state } = run;
  if (made === undefined)
    throw new Fault('internal', 'the configurations were to be written before they were generated');
  const { request, folder, progress, signal } = creation;
  const { placed, material } = made;
  const talosconfig = await material.talosconfig(request.name, placed.endpoints);
  await progress.step('machine configurations', async () => {
    const configurations = await launcher.configure(state, material);
    const files = { secrets: material.secrets, talosconfig, configurations };
    // A machine gets its configuration from the file in the cluster's folder.
    await writeClusterFiles(folder, state, files);
    await launcher.handOut(state, files);
  });
  signal.throwIfAborted();
  run.talosconfig = talosconfig;
}
