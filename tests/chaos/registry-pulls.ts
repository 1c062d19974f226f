// Pulls images into the caches of all nodes while they are killed, from a registry that is slow, so that most kills interrupt a download.
import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { TalosClient } from '@nodewright/client';
import { nodePaths } from '@nodewright/contract';
import { digestOf } from '@nodewright/oci';
import { eventually } from '@nodewright/testkit';
import { startUpstream } from '../contract/registryd/upstream.ts';
import type { ChaosTarget } from './chaos-target.ts';

const registry = 'registry.example';
const images = 4;
const layerBytes = 3_000_000;
const piecesPerLayer = 20;
const pieceMs = 50;
const settleTimeoutMs = 120_000;

export interface PullCounts {
  readonly pulled: number;
  /** Pulls that a kill interrupted. */
  readonly broken: number;
}

export interface RegistryPulls extends AsyncDisposable {
  /** Pulls into all nodes until the signal aborts. */
  pullUntil(signal: AbortSignal): Promise<PullCounts>;
  /** What is wrong with the caches, once the nodes are well again: nothing, if each pull succeeds and each file is whole. */
  problems(client: TalosClient): Promise<string[]>;
}

/**
 * Enables the image cache of all nodes, which those with kubelets have anyway. On nodes that cannot reach this program, registryd only
 * runs.
 */
export async function openRegistryPulls(target: ChaosTarget, client: TalosClient): Promise<RegistryPulls> {
  const { cluster, rootOf, victims } = target;
  const upstream = await startUpstream();
  const tags = Array.from({ length: images }, (_, index) => `v${index}`);
  for (const tag of tags) upstream.addImage('team/app', tag, [randomBytes(layerBytes)]);
  upstream.blobHook = (request, response, bytes) => {
    if (bytes.length < layerBytes) return false;
    const from = Number(/^bytes=(\d+)-$/.exec(request.headers.range ?? '')?.[1] ?? 0);
    response.writeHead(from > 0 ? 206 : 200, { 'content-length': bytes.length - from });
    void sendSlowly(response, bytes.subarray(from));
    return true;
  };
  const documents = [
    { kind: 'ImageCacheConfig', local: { enabled: true } },
    { kind: 'RegistryMirrorConfig', name: registry, endpoints: [{ url: upstream.url }], skipFallback: true },
  ];
  const changed = victims === undefined ? cluster.nodes : [];
  for (const { name } of changed)
    for (const document of documents) {
      const patch = JSON.stringify({ apiVersion: 'v1alpha1', ...document });
      const words = ['patch', 'mc', '--mode', 'no-reboot', '--patch', patch];
      const { exitCode, stderr } = await cluster.talosctl('-n', name, ...words);
      if (exitCode !== 0) throw new Error(`the image cache of ${name} cannot be enabled: ${stderr}`);
    }
  const reference = (tag: string) => `${registry}/team/app:${tag}`;
  const pull = async (of: TalosClient, address: string, tag: string, signal: AbortSignal) => {
    for await (const _ of of.node(address).registry.pull({ reference: reference(tag) }, { signal }));
  };
  return {
    async pullUntil(signal) {
      let [pulled, broken] = [0, 0];
      const pullInto = async (address: string) => {
        for (let turn = 0; !signal.aborted; turn += 1) {
          const tag = tags[turn % tags.length] ?? '';
          try {
            await pull(client, address, tag, AbortSignal.any([signal, AbortSignal.timeout(30_000)]));
            pulled += 1;
            await client.node(address).registry.removeImage({ reference: reference(tag) }, { signal });
          } catch {
            if (!signal.aborted) broken += 1;
            await sleep(500);
          }
        }
      };
      if (rootOf !== undefined) await Promise.all(cluster.nodes.map(({ address }) => pullInto(address)));
      return { pulled, broken };
    },
    async problems(of) {
      if (rootOf === undefined) return [];
      const found = await Promise.all(
        cluster.nodes.map(async ({ name, address }) => {
          const pullAll = async () => {
            for (const tag of tags) await pull(of, address, tag, AbortSignal.timeout(20_000));
            return true;
          };
          const what = `every image in the cache of ${name}`;
          const late = await eventually(() => pullAll().catch(() => false), {
            ...{ what, timeoutMs: settleTimeoutMs },
          }).then(
            () => [],
            ({ message }: Error) => [message.trim()],
          );
          return [...late, ...damagedFiles(join(rootOf(name), nodePaths.registrydCache))];
        }),
      );
      return found.flat();
    },
    [Symbol.asyncDispose]: () => upstream[Symbol.asyncDispose](),
  };
}

async function sendSlowly(
  response: { write(bytes: Buffer): unknown; end(): unknown; readonly destroyed: boolean },
  bytes: Buffer,
): Promise<void> {
  const size = Math.ceil(layerBytes / piecesPerLayer);
  for (let position = 0; position < bytes.length && !response.destroyed; position += size) {
    response.write(bytes.subarray(position, position + size));
    await sleep(pieceMs);
  }
  response.end();
}

/** The visible files whose content is not what their name says. */
function damagedFiles(cache: string): string[] {
  if (!existsSync(cache)) return [];
  const entries = readdirSync(cache, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile() && /^sha256-[0-9a-f]{64}$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => !path.startsWith(join(cache, 'unfinished')))
    .filter((path) => !path.endsWith(digestOf(readFileSync(path)).replace(':', '-')))
    .map((path) => `${path} has other content than its name says`);
}
