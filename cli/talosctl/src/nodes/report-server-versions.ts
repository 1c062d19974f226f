import type { NodeClient } from '@nodewright/client';
import { Version } from '@nodewright/contract/gen/machine/machine.ts';
import { Fault } from '@nodewright/fault';
import type { CliEnvironment } from '../context/command-module.ts';
import { escapeLine } from '../output/escape-text.ts';
import { versionBlock, versionLine } from '../render/version-block.ts';
import type { NodeOptions, OutputOptions } from './node-options.ts';
import { onlyMessage } from './only-message.ts';
import { reportNodeTexts } from './report-node-texts.ts';
import { reportNodes } from './report-nodes.ts';

async function queryVersion(node: NodeClient, signal: AbortSignal): Promise<Version> {
  const message = onlyMessage(await node.machine.version({}, { signal }));
  if (message.version === undefined) throw new Fault('internal', 'the response contains no version');
  return message;
}

function serverText(node: string, { version, features }: Version, field?: (text: string) => string): string {
  const rbac = features?.rbac ? versionLine('Enabled', 'RBAC') : '';
  return version === undefined ? '' : versionLine('NODE', node) + versionBlock(version, field) + rbac;
}

/** The part of `talosctl version` that queries nodes. */
export async function reportServerVersions(
  env: CliEnvironment,
  options: NodeOptions & OutputOptions & { readonly json?: boolean },
): Promise<void> {
  if (options.output !== 'table') {
    return reportNodes(env, options, {
      call: queryVersion,
      header: [],
      headerWithoutRows: false,
      flushWhenIdle: false,
      rows: () => [],
      document: ({ version, platform, features }) => ({ version, platform, features }),
    });
  }
  if (options.json) {
    return reportNodeTexts(
      env,
      options,
      queryVersion,
      (_, message) => `${JSON.stringify(Version.toJSON(message))}\n`,
    );
  }
  env.stdout.write('Server:\n');
  const field = env.stdout.isTTY ? escapeLine : undefined;
  return reportNodeTexts(env, options, queryVersion, (node, version) => serverText(node, version, field));
}
