import { createReadStream } from 'node:fs';
import type { NodeClient } from '@nodewright/client';
import type { ContainerdInstance } from '@nodewright/contract/gen/common/common.ts';
import type { UpgradeRequest } from '@nodewright/contract/gen/suite/upgrade/v1/upgrade.ts';
import { Fault, faultFrom } from '@nodewright/fault';
import { pullImage } from '../nodes/pull-image.ts';
import { needsOwnCall, type WantedUpgrade } from './wanted-upgrade.ts';

export interface PrepareInit {
  readonly wanted: WantedUpgrade;
  readonly containerd: ContainerdInstance;
  /** Gets lines for the user. */
  readonly note: (line: string) => void;
  readonly signal: AbortSignal;
}

/** Bytes per message. */
const chunkBytes = 64 * 1024;

/** What the exit codes of an installer mean. Source: Talos v1.14: talosctl upgrade */
const exitReasons: Readonly<Record<number, string>> = {
  2: 'invalid input',
  3: 'unsupported operation',
  4: 'environment error',
  5: 'dependency error',
  6: 'I/O error',
  7: 'installation error',
};

/**
 * Pulls the artefact on a node, and lets it write the new system. Nothing restarts.
 *
 * @returns the name of the artefact with its digest
 * @throws Fault of the node, and `aborted` for an exit code that is not 0
 */
export async function prepareNode(node: NodeClient, init: PrepareInit): Promise<string> {
  const { wanted, containerd, note, signal } = init;
  const image = await pullImage(node, wanted.image, containerd, { report: () => {}, signal });
  note(`pulled image ${image}`);
  if (needsOwnCall(wanted)) await upgradeByOwnCall(node, { ...wanted, image }, init);
  else await upgradeByLifecycle(node, image, init);
  note('upgrade completed');
  return image;
}

async function upgradeByLifecycle(
  { lifecycle }: NodeClient,
  imageName: string,
  { containerd, note, signal }: PrepareInit,
): Promise<void> {
  let exitCode: number | undefined;
  for await (const { progress } of lifecycle.upgrade({ containerd, source: { imageName } }, { signal })) {
    const { response } = progress ?? {};
    if (response?.$case === 'message') note(response.value.trimEnd());
    if (response?.$case === 'exitCode') exitCode = response.value;
  }
  if (exitCode === undefined)
    throw new Fault('data-loss', 'the node ended the stream without an exit code of the upgrade');
  if (exitCode === 0) return;
  const reason = exitReasons[exitCode];
  throw new Fault(
    'aborted',
    `upgrade failed with exit code ${exitCode}${reason === undefined ? '' : ` (${reason})`}`,
  );
}

async function upgradeByOwnCall(
  { upgrades }: NodeClient,
  wanted: WantedUpgrade,
  { note, signal }: PrepareInit,
): Promise<void> {
  let isPrepared = false;
  try {
    for await (const { event } of upgrades.upgrade(requestsOf(wanted), { signal })) {
      if (event?.$case === 'progress') note(event.value.line);
      if (event?.$case === 'prepared') isPrepared = true;
    }
  } catch (error) {
    if (faultFrom(error).kind !== 'unimplemented') throw error;
    throw new Fault(
      'unimplemented',
      'this node has no call for --allow-downgrade, --extension-set, --without-extensions and --stage: leave them out, or use --legacy for --stage',
      { cause: error },
    );
  }
  if (!isPrepared) throw new Fault('data-loss', 'the node ended the stream in the middle of the upgrade');
}

async function* requestsOf({
  image,
  allowsDowngrade,
  extensionSet,
  dropsExtensions,
  isStaged,
}: WantedUpgrade): AsyncGenerator<UpgradeRequest, void, undefined> {
  const settings = {
    ...{ image, allowDowngrade: allowsDowngrade, hasExtensionSet: extensionSet !== undefined },
    ...{ withoutExtensions: dropsExtensions, stage: isStaged, runPlan: false },
  };
  yield { request: { $case: 'settings', value: settings } };
  if (extensionSet === undefined) return;
  for await (const piece of createReadStream(extensionSet, { highWaterMark: chunkBytes }))
    yield { request: { $case: 'extensionSet', value: piece as Buffer } };
}
