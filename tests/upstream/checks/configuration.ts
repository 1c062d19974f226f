// Changes of the configuration. The released client reads the whole configuration before it patches or edits,
// and knows only the documents of its own minor version. So the worker first gets a configuration in that
// form.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { hostAddress } from '@nodewright/provision/machine';
import { type Check, prints } from '../check.ts';
import type { Subject } from '../subject.ts';

const file = 'applied.yaml';
const timeServer = { machine: { time: { servers: [hostAddress] } } };

/** The worker's configuration in the form of the client's minor version. */
async function writeConfiguration({ provisioner, cluster, folder, fill }: Subject): Promise<void> {
  const name = { apiVersion: 'v1alpha1', kind: 'HostnameConfig', auto: 'off', hostname: fill('{worker}') };
  const { exitCode, stderr } = await cluster.talosctl(
    ...[
      'gen',
      'config',
      cluster.name,
      `https://${fill('{node.address}')}:6443`,
      '--talos-version',
      'v1.13',
      '--force',
    ],
    ...[
      '--with-secrets',
      join(cluster.view.folder, 'secrets.yaml'),
      '-t',
      fill('{worker.type}'),
      '-o',
      join(folder, file),
    ],
    ...['--config-patch', JSON.stringify(name)],
    // The network of a machine reaches only the time server of the test.
    ...(provisioner === 'qemu' ? ['--config-patch', JSON.stringify(timeServer)] : []),
  );
  assert.equal(exitCode, 0, stderr);
}

/** The worker's configuration in STATE, read by the client. */
async function assertConfigured({ client }: Subject, text: RegExp, has = true): Promise<void> {
  const { stdout } = await client(['-n', '{worker}', 'read', '/system/state/config.yaml']);
  assert.equal(text.test(stdout), has, `${text} in\n${stdout}`);
}

const label = (value: string) => `{"machine":{"nodeLabels":{"upstream":"${value}"}}}`;
const patch = ['-n', '{worker}', 'patch', 'mc', '-p'];
const apply = '-n {worker} apply-config -f {folder}/applied.yaml';

const first = prints('apply-config', 'applies a configuration without a reboot', `${apply} -m no-reboot`, {
  stderr: [/Applied configuration without a reboot/],
});

export const configurationChecks: readonly Check[] = [
  {
    ...first,
    run: async (subject) => {
      await writeConfiguration(subject);
      await first.run(subject);
      await assertConfigured(subject, /^kind: HostnameConfig/m);
    },
  },
  prints('apply-config', 'changes nothing in a dry run', `${apply} --dry-run`, {
    stderr: [/Dry run summary:/, /No changes/],
  }),
  prints(
    'apply-config',
    'rejects a file that is not a configuration',
    '-n {worker} apply-config -f {folder}/reader',
    {
      exitCode: 1,
      stderr: [/./],
    },
  ),
  prints('apply-config', 'stages a configuration', `${apply} -m staged`, {
    stderr: [/Staged configuration to be applied after the next reboot/],
  }),
  prints('apply-config', 'tries a configuration for a limited time', `${apply} -m try --timeout 2s`, {
    stderr: [/automatically reverted back in 2s/],
  }),
  prints('patch', 'prints the difference in a dry run', [...patch, label('dry'), '--dry-run'], {
    stderr: [/^\+ +upstream: dry$/m],
    after: (subject) => assertConfigured(subject, /upstream: dry/, false),
  }),
  prints('patch', 'patches the configuration', [...patch, label('patched'), '-m', 'no-reboot'], {
    stderr: ['patched MachineConfigs\\.config\\.talos\\.dev/v1alpha1 at the node {worker}'],
    after: (subject) => assertConfigured(subject, /upstream: patched/),
  }),
  prints('edit', 'applies what the editor changed', '-n {worker} edit mc -m no-reboot', {
    environment: { EDITOR: 'sed -i s/patched/edited/' },
    stderr: [/Applied configuration without a reboot/],
    after: (subject) => assertConfigured(subject, /upstream: edited/),
  }),
  prints('edit', 'skips what the editor did not change', '-n {worker} edit mc', {
    environment: { EDITOR: 'true' },
    stderr: [/no changes detected/],
  }),
  prints('patch', 'is refused to an operator', [...patch, label('operator')], {
    as: 'operator',
    exitCode: 1,
    stderr: [/PermissionDenied|not authorized/],
  }),
  prints('rotate-ca', 'prints its plan in a dry run', '-n {node} rotate-ca --dry-run --kubernetes=false', {
    exitCode: 1,
    stderr: [/failed to determine endpoints/],
    stdout: [
      /Cluster topology:/,
      /control plane nodes: /,
      /Generating new Talos API PKI|New Talos CA|Current Talos CA/,
    ],
  }),
  prints(
    'service',
    'does not restart a service that cannot be restarted',
    '-n {worker} service apid restart',
    {
      exitCode: 1,
      stderr: [/service "apid" doesn't support restart operation via API/],
    },
  ),
  prints('service', 'does not stop a service that cannot be stopped', '-n {node} service etcd stop', {
    exitCode: 1,
    stderr: [/service "etcd" doesn't support stop operation via API/],
  }),
  prints('service', 'accepts the start of a running service', '-n {node} service machined start', {
    stdout: [/Service "machined" started/],
  }),
  prints('service', 'lists the services', '-n {node},{worker} service', {
    stdout: [/^node01 +etcd +Running +OK/m, /^node01 +trustd +Running +OK/m, '^{worker} +apid +Running +OK'],
  }),
  prints('service', 'prints the history of a service', '-n {node} service apid', {
    stdout: [/^STATE +Running$/m, /^EVENTS +\[Running\]: /m],
  }),
  prints('service', 'reports a service that does not exist', '-n {node} service nosuch', {
    exitCode: 1,
    stderr: [/service "nosuch" is not registered/],
  }),
  prints(
    'config new',
    'writes a talosconfig for another role',
    '-n {node} config new --roles os:reader {folder}/made',
    {
      after: async ({ folder }) => assert.match(await readFile(join(folder, 'made'), 'utf8'), /contexts:/),
    },
  ),
];
