import { once } from 'node:events';
import { open } from 'node:fs/promises';
import { resolve } from 'node:path';
import { Fault, faultFrom } from '@nodewright/fault';
import type { CliEnvironment, CommandModule } from '../context/command-module.ts';
import { addHelp } from '../help/more-help.ts';
import { addOutputOption, type OutputOptions } from '../nodes/node-options.ts';
import { escapeLine } from '../output/escape-text.ts';
import { writeDocument } from '../render/document.ts';
import { bundleLimits } from '../replay/bundle-limits.ts';
import { type Bundle, collectedIn, readBundle } from '../replay/read-bundle.ts';

async function readArchive(env: CliEnvironment, name: string): Promise<Bundle> {
  const path = resolve(env.cwd, name);
  try {
    await using file = await open(path);
    const { size } = await file.stat();
    if (size > bundleLimits.fileBytes)
      throw new Fault('invalid-argument', `the archive is larger than ${bundleLimits.fileBytes} bytes`);
    return readBundle(await file.readFile());
  } catch (error) {
    const { kind, message } = faultFrom(error);
    throw new Fault(kind, `replay of ${JSON.stringify(name)}: ${message}`, { cause: error });
  }
}

async function replay(env: CliEnvironment, name: string, options: OutputOptions): Promise<void> {
  const bundle = await readArchive(env, name);
  // Loaded here: no other command needs a server.
  const { openReplay } = await import('../replay/open-replay.ts');
  await using opened = await openReplay(bundle, env.now());
  const { endpoint, talosconfig, nodes } = opened;
  const collected = collectedIn(bundle);
  for (const { name: node, unreadable } of nodes)
    for (const line of unreadable) env.stderr.write(`${escapeLine(`${node}: left out: ${line}`)}\n`);
  if (options.output === 'table') {
    const names = nodes.map((node) => escapeLine(node.name)).join(', ');
    const when = collected === undefined ? '' : `, collected ${escapeLine(collected)}`;
    env.stdout.write(
      [
        `${nodes.length} nodes: ${names}${when}`,
        'In another terminal, until Ctrl-C ends this one:',
        `  export TALOSCONFIG=${talosconfig}`,
        `  talosctl -n ${escapeLine(nodes[0]?.name ?? '')} get members`,
        '',
      ].join('\n'),
    );
  } else {
    const document = { endpoint, talosconfig, collected, nodes: nodes.map((node) => node.name) };
    await writeDocument(env.stdout, options.output, document);
  }
  if (!env.signal.aborted) await once(env.signal, 'abort');
}

/** `talosctl replay <archive>`, an addition to upstream's commands: serves an archive of `talosctl support` as if its nodes ran. */
export const replayCommand: CommandModule = {
  define(command, env) {
    addHelp(
      addOutputOption(command),
      'Reads an archive that talosctl support has written, on any machine and at any time later, and serves what it contains as the API of its nodes: resources, services, logs, processes, memory and more. Commands that read work as on the nodes themselves, the dashboard included; commands that change something are refused. Logs do not grow, and secrets were removed when the archive was written. The endpoint accepts only the certificate in the printed talosconfig.',
    )
      .argument('<archive>', 'archive of talosctl support')
      .action((name: string, options: OutputOptions) => replay(env, name, options));
  },
};
