// Commands of the client without a node, and exchange of files with our command line.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { prints } from '../check.ts';
import type { Subject } from '../subject.ts';

/** Our command line reads the client's output. */
const oursTakes =
  (...words: readonly string[]) =>
  async ({ cluster, fill }: Subject) => {
    const { exitCode, stdout, stderr } = await cluster.talosctl(...words.map(fill));
    assert.equal(exitCode, 0, `our talosctl ${words.join(' ')}: ${stdout}${stderr}`);
  };
const holds =
  (file: string, text: RegExp) =>
  async ({ folder }: Subject) =>
    assert.match(await readFile(join(folder, file), 'utf8'), text);
const config = 'config --talosconfig {folder}/own';

export const offlineChecks = [
  prints(
    'gen secrets',
    'generates secrets that our gen config accepts',
    'gen secrets -o {folder}/secrets.yaml',
    {
      after: oursTakes(
        ...['gen', 'config', 'c', 'https://192.0.2.1:6443', '--with-secrets', '{folder}/secrets.yaml'],
        ...['-o', '{folder}/ours'],
      ),
    },
  ),
  prints(
    'gen config',
    'generates configurations that our validate accepts',
    'gen config c https://192.0.2.1:6443 -o {folder}/gen',
    {
      stderr: [/Created \S+\/controlplane\.yaml/],
      after: oursTakes('validate', '-c', '{folder}/gen/controlplane.yaml', '-m', 'metal'),
    },
  ),
  prints(
    'machineconfig gen',
    'generates a configuration that our validate accepts',
    'machineconfig gen c https://192.0.2.1:6443',
    {
      after: oursTakes('validate', '-c', '{folder}/worker.yaml', '-m', 'metal'),
    },
  ),
  prints('validate', 'accepts the generated configuration', 'validate -c {folder}/gen/worker.yaml -m metal', {
    stdout: [/is valid for metal mode/],
  }),
  prints(
    'machineconfig patch',
    'patches a file, and our validate accepts the result',
    [
      'machineconfig',
      'patch',
      '{folder}/gen/worker.yaml',
      '-p',
      '{"machine":{"sysctls":{"vm.swappiness":"1"}}}',
      '-o',
      '{folder}/patched.yaml',
    ],
    { after: oursTakes('validate', '-c', '{folder}/patched.yaml', '-m', 'metal') },
  ),
  prints('gen ca', 'generates a CA', 'gen ca --organization org', {
    after: holds('org.crt', /BEGIN CERTIFICATE/),
  }),
  prints('gen key', 'generates a key', 'gen key --name admin', { after: holds('admin.key', /PRIVATE KEY/) }),
  prints(
    'gen csr',
    'creates a certificate signing request',
    'gen csr --key admin.key --ip 192.0.2.1 --roles os:admin',
    {
      after: holds('admin.csr', /BEGIN CERTIFICATE REQUEST/),
    },
  ),
  prints('gen crt', 'signs a certificate signing request', 'gen crt --ca org --csr admin.csr --name admin', {
    after: holds('admin.crt', /BEGIN CERTIFICATE/),
  }),
  prints('gen keypair', 'generates a key pair', 'gen keypair --organization pair --ip 192.0.2.1', {
    after: holds('pair.crt', /BEGIN CERTIFICATE/),
  }),
  prints('config add', 'adds a context', `${config} add c1 --ca org.crt --crt admin.crt --key admin.key`),
  prints('config context', 'selects a context', `${config} context c1`),
  prints('config endpoint', 'sets endpoints', `${config} endpoint 192.0.2.1 192.0.2.2`),
  prints(
    'config node',
    'sets nodes, and our config info prints the whole context',
    `${config} node 192.0.2.3`,
    {
      after: async ({ cluster, folder }) => {
        const { stdout } = await cluster.talosctl('config', 'info', '--talosconfig', join(folder, 'own'));
        assert.match(stdout, /c1[\s\S]*192\.0\.2\.3[\s\S]*192\.0\.2\.1/);
      },
    },
  ),
  prints('config contexts', 'lists contexts', `${config} contexts`, { stdout: [/^\* +c1 /m] }),
  prints('config info', 'prints roles and expiry of the certificate', 'config info', {
    stdout: [/Roles: +os:admin/, /Certificate expires: /],
  }),
  prints('config merge', 'merges the context of our cluster', `${config} merge {folder}/admin`),
  prints('config remove', 'removes a context', `${config} remove {cluster} -y`),
  prints('image k8s-bundle', 'lists images', 'image k8s-bundle', { stdout: [/kube-apiserver/] }),
  prints('completion bash', 'prints a script', 'completion bash', { stdout: [/bash completion/] }),
  prints('completion fish', 'prints a script', 'completion fish', { stdout: [/complete -c talosctl/] }),
  prints('completion powershell', 'prints a script', 'completion powershell', {
    stdout: [/Register-ArgumentCompleter/],
  }),
  prints('completion zsh', 'prints a script', 'completion zsh', { stdout: [/#compdef talosctl/] }),
];
