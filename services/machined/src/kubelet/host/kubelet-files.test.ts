import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { generateSecrets } from '@nodewright/machine-config';
import { parse } from 'yaml';
import { type KubeletInput, prepareKubeletFiles } from './kubelet-files.ts';

const { certs } = await generateSecrets({ now: new Date(0) });
const input: KubeletInput = {
  spec: {
    image: 'i',
    args: [],
    extraMounts: [],
    expectedNodename: 'node01',
    config: { kind: 'KubeletConfiguration' },
    credentialProviderConfig: {},
  },
  secrets: {
    endpoint: 'https://localhost:6443',
    endpointTLSServerName: '',
    acceptedCAs: [{ crt: certs.kubernetes.certificate }],
    bootstrapTokenID: 'abcdef',
    bootstrapTokenSecret: '0123456789abcdef',
  },
};

function openRoot(t: TestContext) {
  const root = mkdtempSync(join(tmpdir(), 'kubelet-'));
  t.after(() => rmSync(root, { recursive: true }));
  const notes: string[] = [];
  return {
    at: (path: string) => join(root, path),
    notes,
    prepare: () => prepareKubeletFiles({ root, note: (message) => notes.push(message) }, input),
  };
}

test('the files of the kubelet have its configuration, and only root reads its secrets', async (t) => {
  const { at, prepare, notes } = openRoot(t);
  await prepare();
  const modeOf = (path: string) => (statSync(at(path)).mode & 0o777).toString(8);
  assert.deepEqual(parse(readFileSync(at('/etc/kubernetes/kubelet.yaml'), 'utf8')), input.spec.config);
  assert.equal(readFileSync(at('/etc/kubernetes/pki/ca.crt'), 'utf8'), certs.kubernetes.certificate);
  assert.equal(modeOf('/etc/kubernetes/bootstrap-kubeconfig'), '600');
  assert.equal(modeOf('/etc/kubernetes/pki/ca.crt'), '400');
  assert.equal(modeOf('/var/lib/kubelet'), '700');
  assert.deepEqual(notes, []);
});

test('a client certificate that the cluster would refuse is removed with its kubeconfig', async (t) => {
  const { at, prepare, notes } = openRoot(t);
  mkdirSync(at('/var/lib/kubelet/pki'), { recursive: true });
  mkdirSync(at('/etc/kubernetes'), { recursive: true });
  writeFileSync(at('/var/lib/kubelet/pki/kubelet-client-current.pem'), certs.kubernetes.certificate);
  writeFileSync(at('/var/lib/kubelet/pki/kubelet.crt'), 'old');
  writeFileSync(at('/etc/kubernetes/kubeconfig-kubelet'), 'old');
  await prepare();
  assert.ok(!existsSync(at('/var/lib/kubelet/pki')));
  assert.ok(!existsSync(at('/etc/kubernetes/kubeconfig-kubelet')));
  assert.match(notes[0] ?? '', /^the client certificate of the kubelet is replaced: it is for /);
});
