import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Fault } from '@nodewright/fault';
import type { ArgValues } from '@nodewright/state/kinds';
import fc from 'fast-check';
import { expectedPods } from '../testing/expected-pods.ts';
import { controlPlaneText, renderedPods } from '../testing/rendered-pods.ts';
import { mergeArguments } from './merge-arguments.ts';

interface Facts {
  readonly kind: string;
  readonly additive: readonly string[];
  readonly denied: readonly string[];
  /** Flags that the document of the component itself does not accept. */
  readonly refused?: RegExp;
}

/** Source: Talos v1.14: static pods, arguments. */
const components: Readonly<Record<string, Facts>> = {
  'kube-apiserver': {
    kind: 'KubeAPIServerConfig',
    additive: ['enable-admission-plugins', 'feature-gates', 'authorization-mode'],
    denied: [
      ...[
        'client-ca-file',
        'requestheader-client-ca-file',
        'proxy-client-cert-file',
        'proxy-client-key-file',
      ],
      ...['encryption-provider-config', 'etcd-cafile', 'etcd-certfile', 'etcd-keyfile', 'etcd-servers'],
      ...['kubelet-client-certificate', 'kubelet-client-key', 'authorization-config', 'tls-min-version'],
      ...[
        'service-account-key-file',
        'service-account-signing-key-file',
        'tls-cert-file',
        'tls-private-key-file',
      ],
    ],
    refused:
      /^(anonymous-auth|authentication-config|authorization-config|authorization-mode|oidc-|authorization-webhook-)/,
  },
  'kube-controller-manager': {
    kind: 'KubeControllerManagerConfig',
    additive: ['controllers', 'service-cluster-ip-range'],
    denied: [
      ...['cluster-signing-cert-file', 'cluster-signing-key-file', 'kubeconfig', 'root-ca-file'],
      ...['authentication-kubeconfig', 'authorization-kubeconfig', 'service-account-private-key-file'],
    ],
  },
  'kube-scheduler': {
    kind: 'KubeSchedulerConfig',
    additive: [],
    denied: ['config', 'authentication-kubeconfig', 'authorization-kubeconfig'],
  },
};

/** The flags of a pod: its values by name, in order. */
function flagsOf(pod: unknown): Map<string, string[]> {
  const { command } = (pod as { spec: { containers: [{ command: string[] }] } }).spec.containers[0];
  const flags = new Map<string, string[]>();
  for (const [, name = '', value = ''] of command
    .slice(1)
    .map((flag) => /^--([^=]+)=(.*)$/s.exec(flag) ?? []))
    flags.set(name, [...(flags.get(name) ?? []), value]);
  return flags;
}

const text = await controlPlaneText();
const base = (name: string) => flagsOf(expectedPods[name]);
const withArgs = (kind: string, args: object) =>
  renderedPods(text.replace(`kind: ${kind}\n`, (line) => `${line}extraArgs: ${JSON.stringify(args)}\n`));

const flagName = fc.stringMatching(/^[a-z][a-z0-9-]{0,20}$/);
const flagValue = fc.stringMatching(/^[ -~]{0,12}$/);

for (const [name, { kind, additive, denied, refused }] of Object.entries(components)) {
  const own = [...base(name).keys()];
  const settable = fc
    .oneof(flagName, fc.constantFrom(...own))
    .filter((flag) => !denied.includes(flag) && !refused?.test(flag));

  test(`every flag that the document of ${name} may set ends up in the pod by the rules, and no other changes`, () => {
    fc.assert(
      fc.property(
        fc.dictionary(settable, fc.array(flagValue, { minLength: 1, maxLength: 3 }), { maxKeys: 5 }),
        (extra) => {
          const expected = base(name);
          for (const [flag, values] of Object.entries(extra)) {
            const before = expected.get(flag);
            expected.set(
              flag,
              before !== undefined && additive.includes(flag) ? [[...before, ...values].join(',')] : values,
            );
          }
          const found = flagsOf(withArgs(kind, extra)[name]);
          assert.deepEqual([...found.keys()], [...found.keys()].sort());
          assert.deepEqual(Object.fromEntries(found), Object.fromEntries(expected));
        },
      ),
      { numRuns: 60 },
    );
  });

  test(`each flag that the node alone sets for ${name} is refused by name, and each other one of the node is not`, () => {
    for (const flag of own) {
      const set = () => withArgs(kind, { [flag]: ['x'] });
      if (denied.includes(flag))
        assert.throws(
          set,
          (error) =>
            error instanceof Fault &&
            error.kind === 'invalid-argument' &&
            error.message.includes(`"${flag}"`),
        );
      else assert.doesNotThrow(set, flag);
    }
    assert.deepEqual(
      denied.filter((flag) => !own.includes(flag)),
      [],
    );
  });
}

test('mergeArguments() keeps names that are also properties of objects', () => {
  const rules = { component: 'c', program: 'p', additive: new Set<string>(), denied: new Set<string>() };
  const extra: Record<string, ArgValues> = JSON.parse(
    '{"__proto__": {"values": ["1"]}, "constructor": {"values": ["2"]}}',
  );
  assert.deepEqual(mergeArguments({}, extra, rules), ['p', '--__proto__=1', '--constructor=2']);
});
