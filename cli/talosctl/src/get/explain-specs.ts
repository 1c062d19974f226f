import type { NodeClient, TalosClient } from '@nodewright/client';
import { Fault, type FaultKind, faultFrom } from '@nodewright/fault';
import { codecsOf, type EncodedSpec, type KindRef, pointerTo } from '@nodewright/state';
import type { SpecExplanationSpec } from '@nodewright/state/kinds';
import { createStateClient } from '@nodewright/state/wire';
import type { CliEnvironment } from '../context/command-module.ts';
import { UsageFault } from '../context/failure.ts';
import { showWait } from '../context/progress.ts';
import { writeSlowly } from '../context/write-slowly.ts';
import { NodeErrors } from '../nodes/node-errors.ts';
import { escapeLine } from '../output/escape-text.ts';
import { writeDocument } from '../render/document.ts';
import { printableCell } from '../render/printable.ts';
import { Table } from '../render/table.ts';
import { encodedStateOf } from './get-resources.ts';
import type { ResourceFormat } from './resource-output.ts';

/** By the type of what the kernel has: the id of its explanation, and the type of its specifications. */
const explainable: Readonly<Record<string, readonly [id: string, specs: string]>> = {
  'LinkStatuses.net.talos.dev': ['links', 'LinkSpecs.net.talos.dev'],
  'AddressStatuses.net.talos.dev': ['addresses', 'AddressSpecs.net.talos.dev'],
  'RouteStatuses.net.talos.dev': ['routes', 'RouteSpecs.net.talos.dev'],
};

type State = 'applied' | 'not applied' | 'no specification' | 'unknown';

interface Row {
  readonly node: string;
  readonly id: string;
  readonly layer: string;
  readonly sources: readonly { readonly layer: string; readonly source: string }[];
  readonly state: State;
  readonly reason: string;
}

export interface ExplainInit {
  /** Of links, addresses or routes. */
  readonly kind: KindRef<EncodedSpec>;
  readonly id: string | undefined;
  readonly format: ResourceFormat;
}

/** @throws UsageFault for resources that have no explanation, and for formats that an explanation does not have */
export function checkExplainable(type: string, { kind: format }: ResourceFormat, isWatch: boolean): void {
  if (!Object.hasOwn(explainable, type))
    throw new UsageFault('only links, addresses and routes can be explained: use "get links --explain"');
  if (isWatch) throw new UsageFault('--explain and --watch exclude each other');
  if (format === 'jsonpath')
    throw new UsageFault('--explain has the formats table, wide, json, yaml and name');
}

/**
 * Prints for each specification of one node after the other its layer, its sources and why it is not applied, and then what the kernel
 * has without a specification.
 *
 * @throws ReportedFailure when any node failed
 */
export async function explainSpecs(
  env: CliEnvironment,
  client: TalosClient,
  init: ExplainInit,
): Promise<void> {
  const errors = new NodeErrors(env);
  const rows: Row[] = [];
  for (const node of client.targets) {
    if (env.signal.aborted) break;
    try {
      const found = await showWait(env.stderr, node.name, rowsOf(env, node, init));
      const shown = found.filter(({ id }) => init.id === undefined || id === init.id);
      if (init.id !== undefined && shown.length === 0)
        throw new Fault('not-found', `there is neither a specification nor a status "${init.id}"`);
      rows.push(...shown);
    } catch (error) {
      errors.add(node.name, faultFrom(error));
    }
  }
  await print(env, init.format, rows);
  errors.end();
}

async function rowsOf(env: CliEnvironment, node: NodeClient, { kind }: ExplainInit): Promise<Row[]> {
  const [id = '', specs = ''] = explainable[kind.type] ?? [];
  const present = (await encodedStateOf(node).list(kind, { signal: env.signal })).map(
    ({ metadata }) => metadata.id,
  );
  const explanation = await explanationOf(node, id, env.signal);
  if (explanation === undefined) return guessedRows(env, node, specs, present);
  const say = (line: string) => env.stderr.write(`${escapeLine(`${node.name}: ${line}`)}\n`);
  const { unmanaged, omitted, problems } = explanation;
  if (unmanaged !== '') say(unmanaged);
  for (const problem of problems) say(problem);
  if (omitted > 0) say(`${omitted} more specifications are left out`);
  const explained = explanation.specs.map((spec): Row => {
    const isApplied = spec.statusId !== '' && spec.reason === '';
    const state = unmanaged !== '' ? 'unknown' : isApplied ? 'applied' : 'not applied';
    return {
      node: node.name,
      id: spec.id,
      layer: spec.layer,
      sources: spec.sources,
      state,
      reason: spec.reason,
    };
  });
  const named = new Set(explanation.specs.flatMap((spec) => [spec.statusId, spec.id]));
  return [
    ...explained,
    ...present.filter((each) => !named.has(each)).map((each) => unspecified(node.name, each)),
  ];
}

const unspecified = (node: string, id: string): Row => ({
  ...{ node, id, layer: '', sources: [], state: 'no specification', reason: '' },
});

/** Failures that say nothing about what the node publishes. */
const unreachable: readonly FaultKind[] = ['cancelled', 'deadline-exceeded', 'unavailable'];

/** Undefined when the node has no explanations, as nodes of upstream. */
async function explanationOf(
  { state }: NodeClient,
  id: string,
  signal: AbortSignal,
): Promise<SpecExplanationSpec | undefined> {
  const { specExplanations } = await import('@nodewright/state/kinds');
  const client = createStateClient({ client: state, codecs: codecsOf([specExplanations]) });
  try {
    return (await client.get(pointerTo(specExplanations, id), { signal })).spec;
  } catch (error) {
    if (unreachable.includes(faultFrom(error).kind)) throw error;
    return undefined;
  }
}

/** What the specifications of another system say by themselves: their layers, and that the kernel lacks something of the same id. */
async function guessedRows(
  env: CliEnvironment,
  node: NodeClient,
  type: string,
  present: readonly string[],
): Promise<Row[]> {
  const say = (line: string) => env.stderr.write(`${escapeLine(`${node.name}: ${line}`)}\n`);
  say('this node does not say where specifications come from, nor why they are not applied');
  const client = encodedStateOf(node);
  let specs: readonly { readonly id: string; readonly layer: string }[] = [];
  let isRead = true;
  try {
    const list = await client.list<EncodedSpec>({ namespace: 'network', type }, { signal: env.signal });
    specs = list.map(({ metadata, spec }) => ({
      id: metadata.id,
      layer: /^layer: (\w+)$/m.exec(spec.yaml)?.[1] ?? '',
    }));
  } catch (error) {
    const { kind, message } = faultFrom(error);
    if (unreachable.includes(kind)) throw error;
    isRead = false;
    say(`its specifications cannot be read: ${message}`);
  }
  const has = new Set(present);
  const rows = specs.map(
    ({ id, layer }): Row => ({
      ...{ node: node.name, id, layer, sources: [] },
      ...(has.has(id)
        ? { state: 'applied', reason: '' }
        : { state: 'unknown', reason: 'the kernel has nothing with this id; the node does not say why' }),
    }),
  );
  const named = new Set(specs.map(({ id }) => id));
  const others = present.filter((id) => !named.has(id)).map((id) => unspecified(node.name, id));
  return [...rows, ...others.map((row) => (isRead ? row : { ...row, state: 'unknown' as const }))];
}

async function print(env: CliEnvironment, { kind }: ResourceFormat, rows: readonly Row[]): Promise<void> {
  const { stdout } = env;
  if (kind === 'json' || kind === 'yaml') return writeDocument(stdout, kind, rows);
  if (kind === 'name') {
    const text = rows.map(({ id }) => `${stdout.isTTY ? escapeLine(id) : printableCell(id)}\n`).join('');
    return writeSlowly(stdout, text);
  }
  const header = ['NODE', 'ID', 'LAYER', 'SOURCES', 'STATE', 'REASON'];
  const table = new Table(stdout, { header, headerWithoutRows: false });
  for (const { node, id, layer, sources, state, reason } of rows) {
    const named = sources.map((each) =>
      each.layer === layer ? each.source : `${each.source} (${each.layer})`,
    );
    table.add([node, id, layer, named.join(', '), state, reason]);
  }
  table.flush();
}
