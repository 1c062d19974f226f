import { Fault } from '@nodewright/fault';
import type { CliEnvironment } from '../context/command-module.ts';
import { Progress } from '../context/progress.ts';
import { documentError, writeDocument } from '../render/document.ts';
import { formatTable } from '../render/table.ts';
import { NodeErrors } from './node-errors.ts';
import type { NodeOptions, OutputOptions } from './node-options.ts';
import { openClient } from './open-client.ts';
import { listServices, serviceDocument, serviceLines } from './service-rows.ts';

/** `talosctl service <id>`: prints the details of the service on each node that has it. */
export async function reportService(
  env: CliEnvironment,
  options: NodeOptions & OutputOptions,
  id: string,
): Promise<void> {
  using client = await openClient(env, options);
  const missing = new Set(client.targets.map(({ name }) => name));
  using progress = new Progress(env.stderr, () => `waiting for ${[...missing].join(', ')}`);
  const errors = new NodeErrors(env);
  const lines: string[][] = [];
  const entries: object[] = [];
  for await (const { node, value, fault } of client.fanOut(listServices, { signal: env.signal })) {
    missing.delete(node);
    if (fault !== undefined) {
      errors.add(node, fault);
      entries.push({ node, error: documentError(fault) });
      continue;
    }
    const service = value.find((candidate) => candidate.id === id);
    if (service === undefined) continue;
    lines.push(...serviceLines(node, service, env.now()));
    entries.push({ node, ...serviceDocument(service) });
  }
  progress[Symbol.dispose]();
  if (options.output !== 'table') await writeDocument(env.stdout, options.output, entries);
  else if (lines.length > 0) env.stdout.write(`${formatTable(lines, env.stdout.isTTY).join('\n')}\n`);
  errors.end();
  if (lines.length === 0) throw new Fault('not-found', `service "${id}" is not registered on any node`);
}
