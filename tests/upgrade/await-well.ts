import type { RolloutPreview } from '@nodewright/contract/gen/suite/upgrade/v1/rollout.ts';
import { eventually } from '@nodewright/testkit';
import type { Cluster } from '../cluster/cluster.ts';

/** Waits until nothing refuses the turn of any node: a cluster that was just created still boots. */
export async function awaitWell(cluster: Cluster, image: string): Promise<void> {
  let text = '';
  await eventually(
    async () => {
      const { exitCode, stdout, stderr } = await cluster.talosctl(
        ...['upgrade', '--all', '--image', image, '--dry-run', '-o', 'json'],
      );
      text = stdout + stderr;
      if (exitCode !== 0) return false;
      const { preview } = JSON.parse(stdout) as { preview: RolloutPreview[] };
      return preview.length > 0 && preview.every(({ refusedBy }) => refusedBy === '');
    },
    { what: 'all nodes to be well', timeoutMs: 240_000, explain: () => text },
  );
}
