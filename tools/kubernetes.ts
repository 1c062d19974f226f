// `make kubernetes`: builds the programs of Kubernetes that clusters with KUBERNETES=1 run, CoreDNS and flannel among them.
import { join } from 'node:path';
import { allParts, ensureKubernetes } from '@nodewright/build/kubernetes';
import { builtKubernetesVersion } from '../packages/provision/src/domain/kubernetes-programs.ts';

const note = (line: string) => void process.stderr.write(`kubernetes: ${line}\n`);

try {
  const checkout = join(import.meta.dirname, '..');
  const { folder, built } = await ensureKubernetes({
    checkout,
    environment: process.env,
    note,
    parts: allParts,
  });
  const how = built.length === 0 ? 'is there' : 'built';
  process.stdout.write(`kubernetes: ${builtKubernetesVersion} ${how}, ${folder}\n`);
} catch (error) {
  note(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
}
