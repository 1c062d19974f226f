import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { Fault } from '@nodewright/fault';
import type { EtcdProbe, ProbedMember } from './etcd-probe.ts';
import { formEtcd } from './form-etcd.ts';

const controlPlanes = [1, 2, 3].map((number) => ({
  name: `node0${number}`,
  address: `127.9.9.${number}`,
  endpoint: `127.0.0.1:${number}`,
}));
const member = (number: number, isVoter = true): ProbedMember => ({ hosts: [`127.9.9.${number}`], isVoter });
const never = new AbortController().signal;

/**
 * A fake etcd that forms step by step: each read of the members returns the next view, and each call to
 * bootstrap the next answer.
 */
function openRig(
  views: readonly (readonly ProbedMember[] | Fault)[],
  bootstraps: readonly (Fault | undefined)[] = [],
  trouble?: string,
) {
  const said: string[] = [];
  const calls: string[] = [];
  const steps: string[] = [];
  let looks = 0;
  const answers = [...bootstraps];
  const probe: EtcdProbe = {
    async bootstrap(endpoint) {
      calls.push(endpoint);
      const answer = answers.shift();
      if (answer !== undefined) throw answer;
    },
    async members() {
      const view = views[Math.min(looks++, views.length - 1)] ?? [];
      if (view instanceof Fault) throw view;
      return view;
    },
    trouble: async () => trouble,
    [Symbol.asyncDispose]: async () => {},
  };
  const progress = {
    async step<T>(name: string, body: (say: (reason: string) => void) => Promise<T>): Promise<T> {
      const result = await body((reason) => said.push(`${name}: ${reason}`));
      steps.push(name);
      return result;
    },
    note() {},
  };
  return {
    calls,
    steps,
    said,
    form: (isNew: boolean, signal = never, timeoutMs?: number) =>
      formEtcd({ controlPlanes, isNew, probe, progress, signal, timeoutMs }),
  };
}

const allVote = [1, 2, 3].map((number) => member(number));

test('formEtcd() bootstraps the first control plane once this is possible, and waits for every vote', async () => {
  const notYet = new Fault('failed-precondition', 'time is not in sync yet');
  const rig = openRig(
    [new Fault('unavailable', 'no answer'), [member(1)], [member(1), member(2, false)], allVote],
    [notYet, undefined],
  );
  await rig.form(true);
  assert.deepEqual(rig.calls, ['127.0.0.1:1', '127.0.0.1:1']);
  assert.equal(rig.steps[0], 'etcd bootstrapped on node01');
  assert.deepEqual(rig.steps.slice(1).sort(), [
    'node01 votes in etcd',
    'node02 votes in etcd',
    'node03 votes in etcd',
  ]);
});

test('formEtcd() accepts that etcd is already bootstrapped, and does not bootstrap when data exists', async () => {
  const rig = openRig([allVote], [new Fault('already-exists', 'etcd data directory is not empty')]);
  await rig.form(true);
  assert.deepEqual(rig.steps[0], 'etcd bootstrapped on node01');
  const other = openRig([allVote]);
  await other.form(false);
  assert.deepEqual(other.calls, []);
});

test('formEtcd() fails at once with an error that waiting cannot resolve', async () => {
  const fault = new Fault('invalid-argument', 'etcd is not configured, bootstrap is not possible');
  await assert.rejects(openRig([allVote], [fault]).form(true), fault);
});

test('formEtcd() stops calling all nodes after one has failed permanently', async () => {
  let asked = 0;
  const refused = new Fault('permission-denied', 'not authorized');
  const probe: EtcdProbe = {
    bootstrap: async () => {},
    async members(endpoint) {
      asked += 1;
      if (endpoint === controlPlanes[2]?.endpoint) throw refused;
      return [];
    },
    trouble: async () => undefined,
    [Symbol.asyncDispose]: async () => {},
  };
  const progress = {
    step: <T>(_: string, body: (say: (reason: string) => void) => Promise<T>) => body(() => {}),
    note() {},
  };
  await assert.rejects(formEtcd({ controlPlanes, isNew: false, probe, progress, signal: never }), refused);
  const before = asked;
  await sleep(400);
  assert.equal(asked, before);
});

test('formEtcd() ends when it is aborted', async () => {
  const stop = new AbortController();
  const waiting = openRig([[member(1)]]).form(false, stop.signal);
  setTimeout(() => stop.abort(), 20);
  await assert.rejects(waiting, { name: 'AbortError' });
});

test('formEtcd() names the control plane without a vote after the timeout', async () => {
  const rig = openRig([[member(1), member(2), member(3, false)]]);
  await assert.rejects(
    rig.form(false, never, 300),
    new Fault(
      'deadline-exceeded',
      'node03 has no vote in etcd: it has not joined yet (see: talosctl -n 127.9.9.3 service etcd)',
    ),
  );
});

test('formEtcd() says why etcd does not run, while it waits and when it gives up', async () => {
  const trouble = 'exit status 1 (last log "no space left on device")';
  const rig = openRig([new Fault('unavailable', 'connection refused')], [], trouble);
  const reason = `its etcd has ended: ${trouble}`;
  await assert.rejects(rig.form(false, never, 300), {
    message: /^node0\d has no vote in etcd: .*no space left/,
  });
  assert.equal(rig.said[0], `node01 votes in etcd: ${reason}`);
});
