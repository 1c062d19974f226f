import type { TalosClient } from '@nodewright/client';
import { buildInfo } from '@nodewright/contract';
import { Fault } from '@nodewright/fault';
import type { CommandLimit } from '../context/command-limit.ts';
import type { CliEnvironment } from '../context/command-module.ts';
import { Progress } from '../context/progress.ts';
import { escapeLine } from '../output/escape-text.ts';
import { NodeErrors } from './node-errors.ts';
import { onlyMessage } from './only-message.ts';

/** Parses the major, minor and patch numbers of a version such as `v1.14.0-beta.1` or `1.14`. */
function numbersOf(tag: string): readonly number[] | undefined {
  const match = /^v?(\d{1,9})(?:\.(\d{1,9}))?(?:\.(\d{1,9}))?(?:[-+].*)?$/.exec(tag);
  return match?.slice(1).map((part) => Number(part ?? 0));
}

function isOlder(a: readonly number[], b: readonly number[]): boolean {
  const at = a.findIndex((number, index) => number !== b[index]);
  return at >= 0 && (a[at] as number) < (b[at] as number);
}

/**
 * Queries the version of every target before the calls of the command. It warns of a target that is older than this
 * program. It fails if a target does not answer, within the limit when there is one, or returns an invalid version.
 * Source: Talos v1.14: version gate.
 */
export async function checkServerVersions(
  env: CliEnvironment,
  client: TalosClient,
  limit?: CommandLimit,
): Promise<void> {
  const own = numbersOf(buildInfo.tag) as readonly number[];
  const errors = new NodeErrors(env);
  const older: string[] = [];
  const missing = new Set(client.targets.map(({ name }) => name));
  using progress = new Progress(env.stderr, () => `waiting for ${[...missing].join(', ')}`);
  const answers = client.fanOut(
    async ({ machine }, signal) => {
      const asked = machine.version({}, { signal });
      return onlyMessage(await (limit?.guard(asked) ?? asked));
    },
    { signal: limit?.signal ?? env.signal },
  );
  for await (const { node, value, fault } of answers) {
    missing.delete(node);
    const tag = value?.version?.tag ?? '';
    const numbers = numbersOf(tag);
    if (fault !== undefined) errors.add(node, fault);
    else if (numbers === undefined) {
      errors.add(node, new Fault('internal', `the node returned an invalid version: ${JSON.stringify(tag)}`));
    } else if (isOlder(numbers, own)) older.push(`${node} (${escapeLine(tag)})`);
  }
  progress[Symbol.dispose]();
  if (older.length > 0) {
    env.stderr.write(`WARNING: older than this talosctl (${buildInfo.tag}): ${older.sort().join(', ')}\n`);
  }
  errors.end();
}
