import { Fault } from '@nodewright/fault';
import type { RecordedNode } from './recorded-node.ts';

/** The nodes of an archive by what a caller may call them. */
export class NodeDirectory {
  readonly #nodes: readonly RecordedNode[];
  readonly #byName = new Map<string, RecordedNode>();

  constructor(nodes: readonly RecordedNode[]) {
    this.#nodes = nodes;
    for (const node of nodes)
      for (const other of node.otherNames) if (!this.#byName.has(other)) this.#byName.set(other, node);
    for (const node of nodes) this.#byName.set(node.name, node);
  }

  /**
   * The nodes of a call: those in its metadata, else the first one of the archive.
   *
   * @param names the values of `node` or `nodes`
   * @throws Fault `unavailable` for a node that is not in the archive
   */
  select(names: readonly string[]): readonly { readonly name: string; readonly node: RecordedNode }[] {
    const [first] = this.#nodes;
    if (names.length === 0 && first !== undefined) return [{ name: first.name, node: first }];
    return names.map((name) => {
      const node = this.#byName.get(name);
      if (node !== undefined) return { name, node };
      const known = this.#nodes.map((each) => each.name).join(', ');
      throw new Fault('unavailable', `no route to node "${name}": the archive has the nodes ${known}`);
    });
  }
}
